"""Shell command lines: parsing, the purposes of programs, and external text that commands read."""
