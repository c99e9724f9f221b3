"""Budgets, expected times and rehearsals: what will be measured, and how long it takes."""
