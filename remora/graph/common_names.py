"""Names of languages and their standard libraries, whose calls are not guessed.

A method defined once in a project is a fair guess for a call on an unknown object, unless every list, string,
file or promise has a method with its name. Listed are such names, per family, and the built-in names of each
language. The lists are short: a missing rare name costs nothing.
"""

from __future__ import annotations

# What containers, texts, files and processes have in nearly every language.
_COLLECTIONS = frozenset(
    """
    add append clear close contains copy count delete each empty equals exists extend filter find first
    flush forEach format get getattr has hash id index indexOf init insert items iter join keys last len
    length list load lock log lower map match max merge min name new next open parse peek pop print push
    put read readline reduce remove replace replaceAll reset resolve reverse run save search seek send set
    shift size slice sort splice split start stop strip substring sum test then time to toString trim type
    unlock update upper value values wait write zip
    """.split()
)

PYTHON = _COLLECTIONS | frozenset(
    """
    __call__ __class__ __enter__ __eq__ __exit__ __getitem__ __hash__ __init__ __iter__ __len__ __new__
    __next__ __repr__ __setitem__ __str__ acquire all any apply as_posix astype bit_length cancel
    capitalize casefold center chmod commit communicate connect critical cursor debug decode default dot
    dump dumps encode endswith error exc_info exception execute exit expandtabs expanduser fetchall
    fetchone fileno fill findall finditer flatten fromkeys fullmatch get_nowait getvalue glob group
    groupby groupdict groups imag info intersection is_absolute is_dir is_file is_set isalnum isalpha
    isatty isdigit islower isoformat isspace issubset issuperset istitle isupper iterdir joinpath kill
    ljust loads lstrip makedirs mean mkdir mro partition poll popitem put_nowait quote read_bytes
    read_text readlines real recv register relative_to release removeprefix removesuffix rename reshape
    result rfind rglob rjust rmdir rollback round rpartition rsplit rstrip schedule seekable set_result
    setdefault shape shutdown span splitlines startswith stat strftime strptime sub submit submodule subn
    swapcase symlink_to symmetric_difference tell terminate timestamp title tobytes tolist total_seconds
    touch translate transpose truncate union unlink usage utcnow warn warning with_name with_suffix
    write_bytes write_text writelines zfill
    """.split()
)

JAVASCRIPT = _COLLECTIONS | frozenset(
    """
    abort abs addEventListener all allSettled any apply assert assign at bind blur call catch ceil charAt
    charCodeAt clearTimeout click concat create createElement debug defineProperty describe dispatchEvent
    emit end endsWith entries error every except exec expect fill finally findIndex flat flatMap floor
    focus freeze from fromEntries getAttribute getElementById getItem getTime hasOwnProperty includes info
    isArray it json lastIndexOf listen localeCompare mock mockReturnValue now off on once padEnd padStart
    pipe pow preventDefault querySelector querySelectorAll race random reject removeEventListener
    removeItem render repeat round setAttribute setItem setState setTimeout some startsWith
    stopPropagation stringify subscribe text toBe toEqual toFixed toISOString toLowerCase toUpperCase
    trace trimEnd trimStart unshift unsubscribe use warn
    """.split()
)

JAVASCRIPT_GLOBALS = frozenset(
    """
    AbortController afterAll afterEach alert Array ArrayBuffer atob beforeAll beforeEach BigInt Blob
    Boolean btoa Buffer clearInterval clearTimeout confirm console crypto DataView Date decodeURI
    decodeURIComponent describe document encodeURI encodeURIComponent Error eval EvalError Event
    EventTarget expect exports fetch File FormData Function global globalThis Headers history Infinity
    Intl isFinite isNaN it jest JSON localStorage location Map Math module NaN navigator Number Object
    parseFloat parseInt performance process Promise Proxy queueMicrotask RangeError ReferenceError Reflect
    RegExp Request requestAnimationFrame require Response sessionStorage Set setImmediate setInterval
    setTimeout String structuredClone Symbol SyntaxError test TextDecoder TextEncoder TypeError Uint8Array
    undefined URL URLSearchParams vi WeakMap WeakRef WeakSet WebSocket window XMLHttpRequest
    """.split()
)

GO = _COLLECTIONS | frozenset(
    """
    Add All Append Bytes Call Cancel Clone Close Contains Context Copy Count Deadline Debug Debugf Decode
    Delete Done Encode Equal Err Error Errorf Exec Fatal Fatalf Fields Find First Flush Format Fprintf Get
    HasPrefix HasSuffix Header Helper ID Index Info Infof Init Int Is Join Key Keys Len Less Load Lock Log
    Logf Marshal Match Name New Next Open Parse Path Ping Pop Print Printf Println Push Put QueryRow Range
    Read ReadAll Remove Replace Reset RLock Run RUnlock Scan Seek Send Serve Set Size Sleep Split Sprintf
    Start Stat Stop Store String Sub Sum Swap Time ToLower ToUpper Trim TrimSpace Type Unix Unlock
    Unmarshal Unwrap Update URL Value Values Wait Warn Write WriteHeader WriteString
    """.split()
)

GO_BUILTINS = frozenset(
    """
    any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false
    float32 float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real
    recover rune string true uint uint16 uint32 uint64 uint8 uintptr
    """.split()
)

RUST = _COLLECTIONS | frozenset(
    """
    all and and_then any as_bytes as_deref as_mut as_path as_ref as_slice as_str await borrow borrow_mut
    chain chars chunks clone cloned cmp collect concat context cycle decode default deref display drain
    drop encode ends_with entry enumerate eq err exit expect expect_err extend_from_slice filter_map
    find_map finish flat_map flatten fmt fold for_each from from_str fuse get_mut get_or_insert_with into
    into_bytes into_inner into_iter is_empty is_err is_none is_ok is_some is_some_and iter_mut kind
    last_mut lines lt map_err map_or map_or_else max_by_key min_by_key next_back ok ok_or ok_or_else or
    or_else or_insert or_insert_with partial_cmp partition path poll pop_front position push_back push_str
    read_to_string recv rev skip skip_while sort_by sort_by_key sort_unstable spawn split_at
    split_whitespace starts_with step_by swap take take_while to_lowercase to_owned to_path_buf to_str
    to_string to_uppercase to_vec trim_end trim_start try_from try_into unwrap unwrap_err unwrap_or
    unwrap_or_default unwrap_or_else windows with_capacity write_all write_str
    """.split()
)

RUST_PRELUDE = frozenset(
    """
    alloc Arc AsMut AsRef assert bool Box char Clone Copy core Debug Default DoubleEndedIterator Drop drop
    Eq Err ExactSizeIterator Extend f32 f64 Fn FnMut FnOnce format From FromIterator Hash HashMap HashSet
    i128 i16 i32 i64 i8 Into IntoIterator isize Iterator matches None Ok Option Ord panic PartialEq
    PartialOrd print println Rc Result Send Sized Some std str String Sync ToOwned ToString TryFrom
    TryInto u128 u16 u32 u64 u8 Unpin usize Vec vec write
    """.split()
)

JAVA = _COLLECTIONS | frozenset(
    """
    accept addAll allMatch anyMatch apply asList assertEquals assertFalse assertThat assertTrue build
    builder cast charAt clone collect compare compareTo compute computeIfAbsent containsKey create debug
    endsWith entrySet equalsIgnoreCase error execute findFirst flatMap getBytes getClass getId getKey
    getMessage getName getOrDefault getSize getType getValue hashCode hasNext info invoke isEmpty
    isPresent iterator keySet limit listIterator mapToInt noneMatch now of ofNullable orElse orElseGet
    orElseThrow parseInt printf println printStackTrace putAll putIfAbsent removeIf reply setName setValue
    sorted startsWith stream submit supply thenReturn toArray toCharArray toList toLowerCase toUpperCase
    valueOf verify warn when
    """.split()
)

JAVA_LANG = frozenset(
    """
    AssertionError AutoCloseable Boolean boolean Byte byte char Character CharSequence Class ClassLoader
    Cloneable Comparable Deprecated Double double Enum Error Exception Float float FunctionalInterface
    IllegalArgumentException IllegalStateException int Integer InterruptedException Iterable Long long
    Math NullPointerException Number Object Override Process Record Runnable Runtime RuntimeException
    Short short String StringBuffer StringBuilder SuppressWarnings System Thread ThreadLocal Throwable
    UnsupportedOperationException Void void
    """.split()
)

C = _COLLECTIONS | frozenset(
    """
    assign at back begin c_str cbegin cend data emplace emplace_back end erase fetch_add find_first_of
    front getline good is_open lower_bound make_pair max_size notify_all notify_one pop_back pop_front
    push_back push_front rbegin release rend reserve resize rfind store str substr swap top try_lock
    upper_bound
    """.split()
)

C_NAMES = frozenset(
    """
    abort abs accept access alignof assert atexit atof atoi atol bind bool bsearch calloc ceil char clock
    close connect const_cast cos decltype defined double dynamic_cast exit exp fabs fclose feof ferror
    fflush fgets float floor fopen fork fprintf fputc fputs fread free fscanf fseek ftell fwrite getc
    getchar getenv gettimeofday htons int isalnum isalpha isdigit islower isspace isupper listen log long
    longjmp main malloc memchr memcmp memcpy memmove memset mmap offsetof open perror pow printf
    pthread_create putc putchar puts qsort raise rand read realloc recv reinterpret_cast remove rename
    rewind scanf select send setjmp setlocale short signal sin size_t sizeof sleep snprintf socket sprintf
    sqrt srand sscanf static_assert static_cast std strcasecmp strcat strchr strcmp strcpy strdup strerror
    strlen strncmp strncpy strrchr strstr strtod strtok strtol strtoul system tan time tolower toupper
    typeid unlink unsigned va_arg va_end va_start vfprintf void vsnprintf wait write
    """.split()
)

C_HEADERS = frozenset(
    """
    algorithm any array assert.h atomic bit bitset cassert cctype cerrno chrono climits cmath compare
    complex complex.h concepts condition_variable cstddef cstdint cstdio cstdlib cstring ctime ctype.h
    deque errno.h exception execution expected fcntl.h fenv.h filesystem float.h format forward_list
    fstream functional future initializer_list inttypes.h iomanip ios iosfwd iostream iso646.h istream
    iterator limits limits.h list locale locale.h map math.h memory memory.h memory_resource mutex new
    numbers numeric optional ostream poll.h pthread.h Python.h queue random ranges ratio regex sched.h
    semaphore.h set setjmp.h shared_mutex signal.h span sstream stack stdalign.h stdarg.h stdatomic.h
    stdbool.h stddef.h stdexcept stdint.h stdio.h stdlib.h stdnoreturn.h stop_token streambuf string
    string.h string_view strings.h system_error tgmath.h thread threads.h time.h tuple type_traits
    typeindex typeinfo uchar.h unistd.h unordered_map unordered_set utility valarray variant vector
    version wchar.h wctype.h windows.h
    """.split()
)

CSHARP = _COLLECTIONS | frozenset(
    """
    Add AddRange All Any Append AppendLine AsSpan Build Cast Clear Clone Close Combine CompareTo Concat
    Configure Contains ContainsKey Copy CopyTo Count Create Debug Dispose Distinct EndsWith Equals Error
    Except Exists Find First FirstOrDefault Flush Format Get GetAsync GetEnumerator GetHashCode GetType
    GetValue GroupBy Include IndexOf Info Insert Invoke Is IsNullOrEmpty Join Last Length Load Log Map
    Match Max Min MoveNext Next Of Open OrderBy Parse Pop Post Push Read ReadAsync Remove Replace Reset
    Reverse Run Save Select SelectMany Send Set Single Skip Sort Split Start StartsWith Stop Substring Sum
    Take ThenBy ToArray ToDictionary ToList ToLower ToString ToUpper Trim TryGetValue TryParse Union
    Update Value Values Wait Where Write WriteLine Zip
    """.split()
)

CSHARP_NAMES = frozenset(
    """
    Action Array bool Boolean Byte byte Char char Console Convert DateTime Decimal decimal Dictionary
    Double double Enum Enumerable Environment EventArgs Exception File float Func Guid HashSet IDisposable
    IEnumerable IList int Int32 Int64 List long Math nameof Nullable Object object Path Random sbyte short
    String string StringBuilder System Task Thread TimeSpan Tuple Type typeof uint ulong Uri ushort
    ValueTask var void
    """.split()
)

RUBY = _COLLECTIONS | frozenset(
    """
    all? any? blank? call class collect compact concat create cycle debug detect dig downcase dup
    each_pair each_with_index each_with_object empty? end_with? error expect fetch find_by flat_map
    flatten freeze frozen? group_by gsub gsub! has_key? include? info inject inspect instance_variable_get
    is_a? key? kind_of? lambda lines map! merge! method_missing minmax nil? none? order partition pluck
    present? proc raise reject render require respond_to? select send! sleep sort_by start_with? sub
    symbolize_keys tap to_a to_f to_h to_i to_proc to_s to_sym tr transform_values uniq unshift upcase
    warn where yield
    """.split()
)

RUBY_NAMES = frozenset(
    """
    abort alias_method Array at_exit attr_accessor attr_reader attr_writer BasicObject binding
    block_given? catch Class Comparable define_method Dir Encoding Enumerable ENV Errno Exception exit
    extend fail File Float format freeze gets Hash include Integer IO Kernel lambda loop Math Module
    module_function Mutex NilClass Numeric Object p prepend print printf private private_class_method
    private_constant Proc proc Process protected public public_send puts raise rand Random Range Rational
    Regexp require require_relative RuntimeError Set sleep sprintf StandardError String Struct super
    Symbol Thread throw Time warn
    """.split()
)

PHP = _COLLECTIONS | frozenset(
    """
    __call __construct __get __set __toString all assertEquals assertFalse assertSame assertTrue bind
    build call commit create debug error execute fetch fetchAll fill findOneBy getCode getId getMessage
    getName getType getValue handle info isEmpty make offsetGet offsetSet persist prepare query render
    rollback setName setValue toArray warning where with
    """.split()
)

PHP_NAMES = frozenset(
    """
    array array_filter array_key_exists array_keys array_map array_merge array_pop array_push array_shift
    array_slice array_unique array_values ArrayAccess ArrayIterator ArrayObject bool callable Closure
    compact count Countable DateInterval DateTime DateTimeImmutable define defined empty Error Exception
    explode file_exists file_get_contents file_put_contents float function_exists Generator get_class
    implode in_array int InvalidArgumentException is_array is_callable is_int is_null is_numeric is_object
    is_string isset iterable Iterator IteratorAggregate json_decode json_encode JsonSerializable
    LogicException max md5 min mixed never null object PDO preg_match preg_replace preg_split print_r
    printf ReflectionClass RuntimeException SplFileInfo sprintf str_contains str_replace string Stringable
    strlen strpos strtolower strtoupper substr Throwable Traversable trim TypeError ucfirst unset usort
    var_dump void
    """.split()
)
