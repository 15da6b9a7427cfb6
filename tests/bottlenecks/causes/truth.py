"""What the first screen must say about a case, and the list of cases."""

import dataclasses

GPU_FORMS = ("kineto", "jax", "tf2", "chrome", "ctf", "tf1")
ALL_FORMS = ("kineto", "jax", "tpu", "tf2", "chrome", "ctf", "tf1")


@dataclasses.dataclass
class Truth:
    """Regular expressions, without regard to case."""

    things: tuple  # all of them: what was planted, and where
    causes: tuple  # any of them: why it is slow
    remedy: tuple = ()  # all of them, in what to do


@dataclasses.dataclass
class Case:
    """A profile with one planted cause, or with none."""

    cause: str
    form: str
    variant: str
    make: object  # make(name, form) -> (Job, Truth)

    @property
    def name(self):
        return "-".join(w for w in (self.cause, self.variant, self.form) if w)

    def build(self):
        return self.make(self.name, self.form)


ALL = []  # all cases, in the order of their definition


def case(cause, forms, variant="", **options):
    """A decorator of make(name, form, **options)."""

    def register(make):
        for form in forms:
            ALL.append(
                Case(
                    cause,
                    form,
                    variant,
                    lambda name, form: make(name, form, **options),
                )
            )
        return make

    return register


def step(job, index):
    """The words for a step."""
    return r"\bsteps? (\d+(,| and|, and) )*%d\b" % (job.first + index)


def member(number):
    """The words for a rank, in all formats."""
    return r"(rank|worker|host|task|process)[ :#_]?%d\b" % number


def device(number):
    return r"(gpu|tpu|cuda|xpu)[ :_]%d\b" % number
