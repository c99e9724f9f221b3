"""Two versions of a class on this machine: their files, the Java guest that runs tests of them."""
