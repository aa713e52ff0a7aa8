"""Names that say nothing by themselves: builtins, and methods that every library has."""

from __future__ import annotations

_JAVASCRIPT = """
    Array ArrayBuffer BigInt Boolean Buffer DataView Date Error EvalError Float32Array Float64Array Function
    Infinity Int16Array Int32Array Int8Array Intl JSON Map Math NaN Number Object Promise Proxy RangeError
    ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError URL Uint8Array WeakMap
    WeakSet WebSocket XMLHttpRequest afterAll afterEach alert before after beforeAll beforeEach
    clearInterval clearTimeout console decodeURIComponent describe document encodeURIComponent eval exports
    expect fetch global globalThis import isFinite isNaN it jest localStorage module navigator parseFloat
    parseInt process queueMicrotask require self setImmediate setInterval setTimeout super test undefined
    window
    """
_GO = """
    any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false
    float32 float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real
    recover rune string true uint uint16 uint32 uint64 uint8 uintptr
    """
_RUST = """
    Box Clone Copy Debug Default Drop Eq Err Fn FnMut FnOnce From Into IntoIterator Iterator None Ok Option
    Ord PartialEq PartialOrd Result Self Send Sized Some String Sync ToOwned ToString Vec assert! assert_eq!
    assert_ne! bool char concat! dbg! debug_assert! debug_assert_eq! drop env! eprint! eprintln! f32 f64
    format! i128 i16 i32 i64 i8 include_bytes! include_str! isize line! matches! panic! print! println! str
    stringify! todo! u128 u16 u32 u64 u8 unimplemented! unreachable! usize vec! write! writeln!
    """
_JAVA = """
    ArithmeticException AssertionError AutoCloseable Boolean Byte CharSequence Character Class ClassLoader
    Cloneable Comparable Deprecated Double Enum Error Exception Float FunctionalInterface
    IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer InterruptedException
    Iterable Long Math NullPointerException Number NumberFormatException Object Override Process Record
    Runnable RuntimeException SafeVarargs Short String StringBuffer StringBuilder SuppressWarnings System
    Thread Throwable UnsupportedOperationException Void
    """
BUILTINS: dict[str, frozenset[str]] = {
    "ecmascript": frozenset(_JAVASCRIPT.split()),
    "go": frozenset(_GO.split()),
    "rust": frozenset(_RUST.split()),
    "java": frozenset(_JAVA.split()),
}
"""Names that need no binding, by family."""

_COMMON = """
    abort accept access add addAll addEventListener addListener all and and_then any append apply arg args
    as_bytes as_mut as_ref as_slice as_str assign at await bind body borrow borrow_mut build bytes call
    cancel catch ceil charAt charCodeAt chars check clear clone close cmp code collect compare compareTo
    compute computeIfAbsent concat connect contains containsKey containsValue content context copied copy
    count create data debug decode default delete deref destroy dispatch display do done drain drop each
    emit empty encode end endsWith ends_with entries entry enumerate eq equal equals err error every exec
    execute exists exit expect extend fail fatal fetch fields file fill filter filter_map finally find
    findAll findIndex first flat flatMap flat_map flatten floor flush fmt fold forEach for_each format from
    fromJson get getAll getClass getItem getKey getMessage getName getOrDefault getType getValue group
    handle has hasNext hasOwn hasOwnProperty hash hashCode head header id includes indexOf info init insert
    intValue interrupt into into_iter invoke is isEmpty isPresent is_empty is_err is_none is_ok is_some iter
    iter_mut iterator join json key keySet keys kill last lastIndexOf len length less line lines listen load
    lock log lower main map map_err match matches max message method min mkdir name new newInstance next
    nextInt nil notify now null of off offset ok ok_or on once open or or_else orElse out output panic parse
    parseInt path peek pipe poll pop position post prepare prev print printf println process push push_str
    put putAll query raw read readAll readFile readLine ready receive recv reduce register reject release
    remove removeAll removeListener render repeat replace replaceAll request require reserve reset resize
    resolve respond response restore result resume retain return rev reverse rewind round run save search
    seek select send serialize set setItem setUp setValue setup shift shutdown size skip sleep slice some
    sort sortBy source splice split split_at start startsWith starts_with stat state status step stop stream
    string stringValue stringify sub submit subscribe substr substring success sum swap sync system tail
    take target tearDown tell test text then throw time to toArray toBe toEqual toJson toList toLowerCase
    toString toUpperCase to_owned to_string to_vec touch trim trim_end trim_start truncate try type unlock
    unwrap unwrap_or update updateAndGet upper url use validate value valueOf values version visit wait walk
    warn warning with write writeAll writeFile zip
    """
COMMON_METHODS = frozenset(name.lower() for name in _COMMON.split())
"""Methods of everyday library types, in lower case: their name alone says nothing about the receiver."""
