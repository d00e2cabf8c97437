"""Plays the conversation in dialogue.jsonl: answers what it was answered then, and ends if flowrun says anything else.

A null in the file stands for a value that differs from run to run. Members that flowrun has added since are allowed.
"""
import json
import sys


def fits(recorded, said):
    if recorded is None:
        return True
    if isinstance(recorded, dict):
        return isinstance(said, dict) and all(name in said and fits(recorded[name], said[name]) for name in recorded)
    return recorded == said


for line in open("dialogue.jsonl"):
    turn = json.loads(line)
    if "plugin" in turn:
        print(json.dumps(turn["plugin"]), flush=True)
        continue
    said = json.loads(sys.stdin.readline())
    if not fits(turn["flowrun"], said):
        sys.exit(f"expected {turn['flowrun']}, got {said}")
