-- Drives `flowrun lsp` from Neovim without a screen: pushed diagnostics, completion, a fix, a rename.
-- Exits with 0 if all checks succeed. Otherwise exits with 1 and writes the reason to standard error.

local flowrun = os.getenv('FLOWRUN')
local folder = os.getenv('FOLDER')

local function fail(reason)
  io.stderr:write('neovim: ' .. reason .. '\n')
  vim.cmd('cquit 1')
end

local function wait(what, condition)
  if not vim.wait(15000, condition, 10) then
    fail('no ' .. what)
  end
end

local function lines()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

local path = folder .. '/neovim.yaml'
vim.fn.writefile({ 'name: n', 'steps:', '  fetch: { uses: flow.noop }', '  b: { uses: flow.noop, needs: fetchh }' }, path)
vim.cmd('edit ' .. path)
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = 'flowrun', cmd = { flowrun, 'lsp' }, root_dir = folder })
if not client then
  fail('the server does not start')
end
vim.lsp.buf_attach_client(buffer, client)

wait('diagnostic', function()
  return #vim.diagnostic.get(buffer) == 1
end)
local diagnostic = vim.diagnostic.get(buffer)[1]
if diagnostic.lnum ~= 3 or diagnostic.col ~= 31 or not diagnostic.message:find('fetchh') then
  fail('a wrong diagnostic: ' .. vim.inspect(diagnostic))
end

local function ask(method, more)
  local parameters = vim.tbl_extend('force', { textDocument = vim.lsp.util.make_text_document_params() }, more)
  local answers = vim.lsp.buf_request_sync(buffer, method, parameters, 15000)
  local answer = answers and answers[client]
  if not answer or answer.err then
    fail(method .. ': ' .. vim.inspect(answers))
  end
  return answer.result
end

-- Completion proposes only steps that `b` may need.
local proposals = ask('textDocument/completion', { position = { line = 3, character = 31 } })
local labels = vim.tbl_map(function(item)
  return item.label
end, proposals.items)
if not vim.tbl_contains(labels, 'fetch') or vim.tbl_contains(labels, 'b') then
  fail('wrong proposals: ' .. vim.inspect(labels))
end

-- The fix corrects the misspelled step id.
local range = { start = { line = 3, character = 33 }, ['end'] = { line = 3, character = 33 } }
local actions = ask('textDocument/codeAction', { range = range, context = { diagnostics = {} } })
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
if not lines():find('needs: fetch }', 1, true) then
  fail('the fix wrote:\n' .. lines())
end
wait('end of the diagnostic', function()
  return #vim.diagnostic.get(buffer) == 0
end)

-- A rename changes the step and all references to it.
local renamed = ask('textDocument/rename', { position = { line = 2, character = 3 }, newName = 'load' })
vim.lsp.util.apply_workspace_edit(renamed, 'utf-16')
if not (lines():find('  load: {', 1, true) and lines():find('needs: load }', 1, true)) then
  fail('the new name wrote:\n' .. lines())
end

-- The server ends with its client.
vim.lsp.stop_client(client)
wait('end of the server', function()
  return vim.lsp.get_client_by_id(client) == nil
end)
vim.cmd('qall!')
