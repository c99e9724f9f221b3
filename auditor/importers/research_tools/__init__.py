"""The result files of the two research tools of the paper (MSR 2018): GoABS and JavaABS."""
