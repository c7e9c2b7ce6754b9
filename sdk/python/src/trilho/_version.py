#: Of the package and of the API that it was made for.
__version__ = "0.1.0"
