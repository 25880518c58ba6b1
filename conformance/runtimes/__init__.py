"""Runs programs of any language on exported ONNX models."""
