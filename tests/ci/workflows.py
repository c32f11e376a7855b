"""What .github/workflows must hold, and that each rule is broken by a workflow without it."""
import copy
import pathlib
import re
import sys

import yaml

CAPABILITIES = ["7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"]


def steps_of(job):
    return job.get("steps", [])


def uploads_always(job):
    return any(str(step.get("uses", "")).startswith("actions/upload-artifact@") and step.get("if") == "always()"
               for step in steps_of(job))


def rules(flow, root):
    """(rule, whether it holds)"""
    jobs = flow.get("jobs", {})
    cpu, gpu, gate = (jobs.get(name, {}) for name in ("cpu", "gpu", "gate"))
    triggers = flow.get(True, flow.get("on")) or {}  # YAML 1.1 reads the key `on` as true
    yield "every push and every pull request", "push" in triggers and "pull_request" in triggers
    yield "no token but a reader's", flow.get("permissions") == {"contents": "read"}
    yield "the CPU job runs on a hosted machine, whatever is pushed", \
        "self-hosted" not in str(cpu.get("runs-on")) and "if" not in cpu
    yield "the GPU job runs on our own machines", "self-hosted" in str(gpu.get("runs-on"))
    condition = re.sub(r"\s+", " ", str(gpu.get("if")))
    yield "a fork's code runs there only by a label, put on anew", condition.strip() == (
        "github.event_name == 'push' || github.event.pull_request.head.repo.full_name == github.repository || "
        "(github.event.action == 'labeled' && github.event.label.name == 'run-on-gpu')")
    yield "no pull_request_target", "pull_request_target" not in triggers
    matrix = gpu.get("strategy", {}).get("matrix", {}).get("include", [])
    yield "a machine of every architecture", [one.get("capability") for one in matrix] == CAPABILITIES
    yield "labels are the capabilities'", all(
        one.get("arch") == "sm" + one.get("capability", "").replace(".", "") for one in matrix)
    yield "Volta has CUDA 12", all(one.get("cuda") == "12" for one in matrix if one.get("capability") == "7.0")
    yield "one architecture's failure ends no other", gpu.get("strategy", {}).get("fail-fast") is False
    runs = [str(step["run"]) for step in steps_of(gpu) if "run" in step]
    yield "device and toolkit are asserted first", bool(runs) and runs[0].startswith("ci/runner-check --capability")
    yield "one job at a time on a device", "matrix.arch" in str(gpu.get("concurrency", {}).get("group"))
    for name, job in jobs.items():
        yield f"{name}: evidence is kept always", uploads_always(job)
        yield f"{name}: a time limit", isinstance(job.get("timeout-minutes"), int)
        for step in steps_of(job):
            script = str(step.get("run", "ci/test")).split()[0]
            path = root / script
            yield f"{name}: {script} is a script that runs by hand", path.is_file() and path.stat().st_mode & 0o111
            yield f"{name}: no text of a stranger in a command", "github.event" not in str(step.get("run", ""))
    yield "all ends in one gate", gate.get("needs") == ["cpu", "gpu"] and gate.get("if") == "always()"
    yield "the gate is the last", not any("gate" in job.get("needs", []) for job in jobs.values())


def broken(flow, root):
    return [rule for rule, holds in rules(flow, root) if not holds]


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    flow = yaml.safe_load(text)
    wrong = [f"broken: {rule}" for rule in broken(flow, root)]

    def planted(expected, change):
        other = copy.deepcopy(flow)
        change(other["jobs"], other)
        if not any(expected in rule for rule in broken(other, root)):
            wrong.append(f"not seen: {expected}")

    planted("no token", lambda jobs, flow: flow.pop("permissions"))
    planted("by a label", lambda jobs, flow: jobs["gpu"].pop("if"))
    planted("by a label", lambda jobs, flow: jobs["gpu"].update({"if": "always()"}))
    planted("every architecture", lambda jobs, flow: jobs["gpu"]["strategy"]["matrix"]["include"].pop())
    planted("Volta", lambda jobs, flow: jobs["gpu"]["strategy"]["matrix"]["include"][0].update({"cuda": "13"}))
    planted("asserted first", lambda jobs, flow: jobs["gpu"]["steps"].pop(1))
    planted("kept always", lambda jobs, flow: jobs["gpu"]["steps"][-1].pop("if"))
    planted("one gate", lambda jobs, flow: jobs["gate"].update({"needs": ["cpu"]}))
    planted("one gate", lambda jobs, flow: jobs["gate"].pop("if"))
    planted("by hand", lambda jobs, flow: jobs["cpu"]["steps"].append({"run": "ci/no-such-script"}))
    planted("stranger", lambda jobs, flow: jobs["cpu"]["steps"].append(
        {"run": "ci/test ${{ github.event.pull_request.title }}"}))
    planted("CPU job", lambda jobs, flow: jobs["cpu"].update({"if": "false"}))
    for line in wrong:
        print(f"FAILED: {line}")
    print(f"workflows: {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
