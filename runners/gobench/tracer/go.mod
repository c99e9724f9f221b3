module bench-audit/tracer

go 1.18
