// The form that starts a run. Only changed values are sent, so an unchanged form is equivalent to `flowrun FILE`.
import { make } from "./parts.js";

const rows = form => [...form.querySelectorAll("[data-field]")];
const input = row => row.querySelector("[data-input]");
const box = (row, name) => row.querySelector(`input[data-${name}]`);
const served = control => control.tagName === "SELECT"
  ? ([...control.options].find(option => option.defaultSelected) ?? control.options[0])?.value
  : control.defaultValue.replace(/\r\n?/g, "\n");

// Shows next to a field why its value is refused, and focuses the field. Returns false if the form has no such field.
export const refuse = (form, name, text) => {
  const row = rows(form).find(row => row.dataset.field === name);
  if (!row) return false;
  const note = row.querySelector(".refusal"), file = row.querySelector("[type=file]");
  const control = file && !file.hidden ? file : input(row);
  note.textContent = text; note.hidden = false;
  input(row).setAttribute("aria-invalid", "true");
  control.focus();
  return true;
};
const accept = row => {
  row.querySelector(".refusal").hidden = true;
  input(row).removeAttribute("aria-invalid");
};

// Returns the value that a person has entered in a field, or undefined if there is none.
const given = async row => {
  const control = input(row), out = box(row, "out");
  if (box(row, "from")?.checked) {
    const file = row.querySelector("[type=file]").files[0];
    if (!file) throw { field: row.dataset.field, text: "Choose a file, or type the value." };
    return file.text();
  }
  if (out?.checked) return undefined;
  if (box(row, "empty")?.checked) return "";
  if (control.tagName === "SELECT") return control.value === served(control) ? undefined : control.value.slice(1);
  if (control.type === "password") return control.value || undefined;
  return control.value !== served(control) || out?.defaultChecked ? control.value : undefined;
};

// Returns the body of the form's action, or null if a field has an invalid value.
export const collect = async form => {
  const body = { file: form.dataset.file, inputs: {} }, launch = form.querySelector("[data-launch]");
  rows(form).forEach(accept);
  try {
    for (const row of rows(form)) {
      const value = await given(row);
      if (value !== undefined) body.inputs[row.dataset.field] = value;
    }
  } catch (problem) {
    if (!problem.field) throw problem;
    refuse(form, problem.field, problem.text);
    return null;
  }
  if (launch && launch.value !== served(launch)) body.launch = launch.value;
  return body;
};

// Returns the path to which the text in a field refers.
const path = (form, row) => {
  const text = input(row).value, isDefault = text === served(input(row));
  if (isDefault) return row.dataset.resolved ?? "";
  if (text.startsWith("~/") && form.dataset.home) return form.dataset.home + text.slice(1);
  return !text || text.startsWith("/") ? text : form.dataset.folder + "/" + text;
};
const show = (form, row) => {
  const control = input(row), out = box(row, "out"), where = row.querySelector("[data-path]"), from = box(row, "from");
  if (out && !out.defaultChecked) out.parentElement.hidden = !out.checked && control.value === served(control);
  if (where) where.textContent = path(form, row) && "→ " + path(form, row);
  if (from) { control.hidden = from.checked; row.querySelector("[type=file]").hidden = !from.checked; }
};

export const prepare = form => {
  form.addEventListener("input", event => {
    const row = event.target.closest("[data-field]");
    if (!row) return;
    accept(row);
    const control = input(row), boxes = ["out", "empty", "from"].map(name => box(row, name)).filter(Boolean);
    // The checkboxes of a field exclude each other, and typing clears them.
    for (const other of boxes) if (other !== event.target && (event.target === control || event.target.checked && boxes.includes(event.target))) other.checked = false;
    if (event.target.checked && (event.target === box(row, "out") || event.target === box(row, "empty"))) control.value = served(control);
    show(form, row);
  });
  // A single-line field cannot contain line breaks, so pasting them turns it into a text area.
  form.addEventListener("paste", event => {
    const control = event.target, text = event.clipboardData?.getData("text/plain") ?? "";
    if (!control.matches("input[data-lines]") || !/[\r\n]/.test(text)) return;
    event.preventDefault();
    const area = make("textarea"), { value, selectionStart, selectionEnd } = control;
    for (const one of control.attributes) if (one.name !== "value") area.setAttribute(one.name, one.value);
    area.rows = 4; area.defaultValue = control.defaultValue;
    area.value = value.slice(0, selectionStart) + text + value.slice(selectionEnd);
    control.replaceWith(area);
    area.focus();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  for (const row of [...rows(form), ...form.querySelectorAll("p")]) {
    const control = row.querySelector("[data-input],[data-launch]"), fill = row.dataset.fill ?? control?.dataset.fill;
    if (fill === undefined) continue;
    control.value = control.matches("select[data-input]") ? "=" + fill : fill;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  }
  // Secrets are not recorded, so the person must enter them again.
  if (location.search.includes("from=")) form.querySelector("[type=password]")?.focus();
};
