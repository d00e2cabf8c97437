import Testing

@testable import FlowSyntax

/// Syntax of `bash` that `sh` does not support.
struct `Syntax of bash` {
  private func form(_ text: String) -> String? { ShellForms.first(in: Array(text.utf8))?.name }

  @Test(
    arguments: [
      ("[[ $V == rel* ]] && echo a", "[["), ("if [[ -f x ]]; then echo; fi", "[["), ("true &&\n  [[ a ]]", "[["),
      ("! [[ a ]]", "[["), ("(cd x; [[ a ]])", "[["), ("A=1 [[ a ]]", "[["), ("case $x in\n  a) [[ b ]];;\nesac", "[["),
      ("list=(a b)", "list=(…)"), ("list+=(c)", "list=(…)"), ("list[0]=a", "list[…]="), ("make &> log", "&>"),
      ("make &>> log", "&>"), ("diff <(sort a) b", "<("), ("tee >(wc)", ">("), ("cat <<< text", "<<<"),
      ("function f { echo; }", "function"), ("source env.sh", "source"), ("set -eo pipefail", "set -o pipefail"),
      ("((i++))", "(("), ("shopt -s nullglob", "shopt"), ("mapfile -t a < b", "mapfile"), ("pushd x", "pushd"),
      ("if [ \"$a\" == b ]; then echo; fi", "[ … == … ]"), ("[ -n x ] && [ $a == 'b c' ]", "[ … == … ]"),
      ("x=$( [[ a ]] && echo 1)", "[["), ("echo \"$(f \"$(let i=1)\")\"", "let"), ("a |& b", "|&"), ("n+=1", "n+="),
      ("for ((i = 0; i < 3; i++)); do echo; done", "for (("), ("select a in b; do echo; done", "select"),
      ("x=$(case $y in a) echo b;; *) [[ c ]];; esac)", "[["), ("x=$(echo a)\n[[ b ]]", "[["),
      ("cat <<X\nno [[\nX\n[[ a ]]", "[["), ("declare -A m", "declare"), ("> log [[ a ]]", "[["),
    ])
  func `bash syntax is found in command position`(text: String, name: String) { #expect(form(text) == name, "\(text)") }

  @Test(
    arguments: [
      "echo [[ a ]]", "echo '[[ a ]]'", "echo \"[[ a ]]\"", "# [[ a ]]", "echo a # [[ b ]]", "[ a = b ]",
      "cat <<'END'\n[[ a ]]\nlist=(a)\nEND\necho", "cat <<-END\n\t[[ a ]]\n\tEND\necho", "make > log 2>&1 &",
      "echo \\[\\[", "echo $((1 << 2))", "x=$(echo '(' )", "grep -E '^(a|b)$' file", "echo \"$(f <<X)\"", "a=1",
      "a= b", "sort < a > b", "echo source", "f() { echo; }", "case $x in (a) echo;; [[:alpha:]]*) echo;; esac",
      "awk '{ a[$1]=1 }' f", "jq '.a[0]=1' f", "set -e", "echo ${x#(}", "python3 -c 'a=(1,2)'", "wait & true",
      "[ \"$a\" = \"b == c\" ]", "[ a = b ] || echo a == b",
      "[ \"$(f 'a == b')\" = c ]", "[ a = \"$(f \"b == c\")\" ]", "x=$((a == b))", "test a = b; echo == c",
      "test a = b", "f\\",
      "for i in 1 2; do echo; done",
      "x=$(case $y in a) echo b;; esac); echo c", "echo let select", "a || b &", "y=\"$(awk '{ n+=1 }' f)\"",
      "echo a >&2", "printf %s \"${a}\" | function_of_mine", "[ -n \"$a\" ] && source_it",
    ])
  func `bash syntax is not found in quotes or portable commands`(text: String) { #expect(form(text) == nil, "\(text)") }

  /// Commands that end anywhere, as they do while someone types them in an editor.
  @Test func `bash syntax is not found inside unclosed quotes or expansions`() {
    let texts = [
      "bu`ld", "echo 'a", "echo \"a", "echo \\", "a='b", "> 'log", "cat <<'END", "cat <<-\\", "echo $(", "echo ${a",
      "echo \"$(f 'x\\", "x=`a", "`", "'", "\"", "\\", "$", "$(\\",
    ]
    for text in texts { #expect(form(text) == nil, "\(text)") }
    let whole = "a='b' c=\"$(d `e` \\\"f\\\")\" g <<-'H' > \"i\" \\\n\tj\n\tH\n${k:-'l'} (m) | n &\n[[ o ]]"
    for count in 0..<whole.utf8.count {
      let part = String(decoding: whole.utf8.prefix(count), as: UTF8.self)
      #expect([nil, "[["].contains(form(part)), "\(part)")
    }
    #expect(form(whole) == "[[")
  }

  @Test(
    arguments: [
      ("#!/bin/bash\necho", "bash"), ("#!/usr/bin/env bash", "bash"),
      ("#! /usr/bin/env -S A=1 python3 -u\n", "python3"),
      ("#!/bin/sh\n", "sh"),
    ])
  func `the first line of a command can name its program`(text: String, name: String) {
    #expect(ShellForms.interpreter(in: Array(text.utf8)) == name)
  }

  @Test func `a first line without #! does not name a program`() {
    #expect(ShellForms.interpreter(in: Array("# /bin/bash".utf8)) == nil)
  }

  @Test func `every prefix of a command is scanned without a crash`() {
    let text = Array("if [ \"$(a `b` ${c} \\\" d)\" = 'x' ]; then cat <<-E | f $((1+2)) >& 2\n\tx\n\tE\nfi".utf8)
    let nested = Array(String(repeating: "[ \"$(a ", count: 200).utf8)
    #expect(ShellForms.first(in: nested) == nil)
    for count in 0...text.count { _ = ShellForms.first(in: Array(text.prefix(count))) }
  }
}
