"""Python's own names, written down so that a graph does not depend on the interpreter that builds it."""

from __future__ import annotations

_BUILTINS_TEXT = """
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
    BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
    ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning
    EnvironmentError Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError
    FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
    InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
    OverflowError PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError
    RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
    StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError
    UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
    UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError __build_class__ __debug__
    __import__ abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod
    compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format
    frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license
    list locals map max memoryview min next object oct open ord pow print property quit range repr
    reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
    apply basestring buffer cmp coerce execfile file intern long raw_input reduce reload unichr unicode
    xrange StandardError
    """
BUILTINS = frozenset(_BUILTINS_TEXT.split())
"""Names that need no binding, Python 2's included."""

_MODULE_ATTRIBUTES_TEXT = """
    __name__ __file__ __doc__ __package__ __path__ __spec__ __loader__ __dict__ __builtins__ __cached__
    __annotations__ __class__
    """
MODULE_ATTRIBUTES = frozenset(_MODULE_ATTRIBUTES_TEXT.split())
"""Names that every module has without binding them."""

_COMMON_METHODS_TEXT = """
    acquire add append appendleft as_integer_ratio as_posix bit_count bit_length capitalize casefold cancel
    center clear close commit connect copy count cursor debug decode detach difference discard encode
    endswith error exception execute exists expanduser expandtabs extend fetchall fetchone fileno find
    findall flush format format_map fromhex fromkeys get getvalue group groups handle hex index info insert
    intersection is_dir is_file isalnum isalpha isascii isatty isdecimal isdigit isdisjoint isidentifier
    islower isnumeric isprintable isspace issubset issuperset istitle isupper items iterdir join joinpath
    keys kill ljust lock log lower lstrip maketrans match mkdir next open partition pop popitem popleft put
    read readable readinto readline readlines release remove removeprefix removesuffix rename replace reset
    resolve result reverse rfind rindex rjust rollback rotate rpartition rsplit rstrip run search seek
    seekable send set setdefault shutdown sort split splitlines start startswith stat stop strip sub submit
    swapcase symmetric_difference tell terminate throw title tobytes tolist touch translate truncate
    union unlink update upper values wait warning writable write write_text writelines zfill
    """
COMMON_METHODS = frozenset(_COMMON_METHODS_TEXT.split())
"""Methods of builtin and everyday library types: their name alone says nothing about the receiver."""

_PRESERVING_DECORATORS_TEXT = """
    builtins.staticmethod builtins.classmethod builtins.property
    functools.cached_property functools.cache functools.lru_cache functools.wraps
    functools.singledispatch functools.singledispatchmethod functools.total_ordering
    abc.abstractmethod abc.abstractproperty abc.abstractclassmethod abc.abstractstaticmethod
    contextlib.contextmanager contextlib.asynccontextmanager
    typing.final typing.no_type_check typing.override typing.runtime_checkable
    typing_extensions.final typing_extensions.override typing_extensions.runtime_checkable
    typing_extensions.deprecated warnings.deprecated
    dataclasses.dataclass enum.unique
    unittest.skip unittest.skipIf unittest.skipUnless unittest.expectedFailure
    """
PRESERVING_DECORATORS = frozenset(_PRESERVING_DECORATORS_TEXT.split())
"""Decorators of the standard library that leave a callable's parameters alone."""

ENUM_BASES = frozenset(
    f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum")
)
"""Bases whose metaclass gives calls another meaning than construction."""

_BUILTIN_TYPES_TEXT = "bool bytearray bytes complex dict float frozenset int list object set str tuple type"
BUILTIN_TYPES = frozenset(f"builtins.{name}" for name in _BUILTIN_TYPES_TEXT.split())
"""Builtin classes with a lower-case name."""

_OBJECT_ATTRIBUTES_TEXT = """
    __abstractmethods__ __annotations__ __bases__ __call__ __class__ __class_getitem__ __closure__ __code__
    __defaults__ __del__ __delattr__ __dict__ __dir__ __doc__ __eq__ __format__ __func__ __ge__
    __getattribute__ __getstate__ __globals__ __gt__ __hash__ __init__ __init_subclass__ __kwdefaults__
    __le__ __lt__ __module__ __mro__ __name__ __ne__ __new__ __qualname__ __reduce__ __reduce_ex__ __repr__
    __self__ __setattr__ __sizeof__ __slots__ __str__ __subclasscheck__ __subclasses__ __subclasshook__
    __weakref__ __wrapped__ mro
    """
OBJECT_ATTRIBUTES = frozenset(_OBJECT_ATTRIBUTES_TEXT.split())
"""What every object, class or function has without defining it."""

SELF_TYPES = frozenset({"Self", "typing.Self", "t.Self", "typing_extensions.Self"})
"""Annotations that mean an instance of the class that they stand in."""
