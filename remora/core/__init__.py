"""Values and arithmetic: no imports from the other packages of Remora, and no input or output."""
