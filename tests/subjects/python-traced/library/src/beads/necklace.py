class Necklace:
    shown = 0

    def __init__(self, beads):
        self.beads = list(beads)

    @property
    def length(self):
        return len(self.beads)

    @length.setter
    def length(self, value):
        del self.beads[value:]

    @classmethod
    def of(cls, *beads):
        return cls(beads)

    @staticmethod
    def joined(one, other):
        return Necklace([*one.beads, *other.beads])

    def __len__(self):
        return self.length

    def _hidden(self):
        return self.beads
