"""Would the suite have detected past performance changes?"""
