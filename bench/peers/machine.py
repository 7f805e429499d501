"""What a benchmark's result says of the machine it ran on."""
import os
import platform


def machine():
    return {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform()}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), "?")
