"""Names that belong to languages and their standard libraries, so that a call of one is no lead.

A method that is defined once in a project is a fair guess for a call on an unknown object, unless its
name is one that every list, string, file or promise has. These are such names, per family, and the names
that each language knows without an import. They are kept short: a rare name costs nothing when missing.
"""

from __future__ import annotations

_COLLECTIONS = """add append clear close contains copy count delete each empty equals exists extend filter find
    first flush format forEach get getattr has hash id index indexOf init insert items iter join keys last len
    length list load lock log lower map match max merge min name new next open parse peek pop print push put
    read readline reduce remove replace replaceAll reset resolve reverse run save search seek send set shift
    size slice sort split splice start stop strip substring sum test then time to toString trim type unlock
    update upper value values wait write zip"""

PYTHON = frozenset(
    f"""{_COLLECTIONS} acquire as_posix astype bit_length capitalize casefold center chmod cancel communicate
    connect commit critical cursor debug decode default dump dumps encode endswith error exception exc_info
    execute exit expandtabs expanduser fetchall fetchone fill findall finditer fileno flatten fromkeys
    fullmatch getvalue glob group groups groupdict info intersection is_absolute is_dir is_file isalnum isalpha
    isatty isdigit islower isoformat isspace issubset issuperset istitle isupper is_set iterdir joinpath kill ljust
    loads lstrip makedirs mean mkdir mro partition pop popitem poll put_nowait get_nowait quote read_bytes
    read_text readlines recv register relative_to release removeprefix removesuffix rename resolve result
    rfind rglob rjust rmdir rollback rpartition rsplit rstrip schedule seekable set_result setdefault shape
    shutdown span splitlines startswith stat strftime strptime sub submit subn submodule swapcase
    symmetric_difference symlink_to tell terminate timestamp title tobytes tolist total_seconds touch translate
    truncate union unlink usage utcnow warn warning with_name with_suffix writelines write_bytes write_text
    zfill __init__ __enter__ __exit__ __call__ __getitem__ __setitem__ __len__ __iter__ __next__ __repr__
    __str__ __eq__ __hash__ __new__ __class__ transpose dot reshape apply groupby all any round real imag""".split()
)

JAVASCRIPT = frozenset(
    f"""{_COLLECTIONS} abort addEventListener all allSettled any apply at assign assert bind blur call catch
    charAt charCodeAt click concat create createElement debug defineProperty describe dispatchEvent
    emit end endsWith entries error every except exec expect fill finally findIndex flat flatMap focus freeze
    from fromEntries getAttribute getElementById getItem getTime hasOwnProperty includes info isArray it json
    listen localeCompare lastIndexOf mock mockReturnValue now off on once padEnd padStart pipe preventDefault
    querySelector querySelectorAll race reject removeEventListener removeItem render repeat round setAttribute
    setItem setState some startsWith stopPropagation stringify subscribe text toBe toEqual toFixed toISOString
    toLowerCase toUpperCase trace trimEnd trimStart unshift unsubscribe use warn floor ceil abs pow random
    setTimeout clearTimeout""".split()
)
JAVASCRIPT_GLOBALS = frozenset(
    """AbortController Array ArrayBuffer BigInt Blob Boolean Buffer DataView Date Error EvalError Event EventTarget
    File FormData Function Headers Infinity Intl JSON Map Math NaN Number Object Promise Proxy RangeError
    ReferenceError Reflect RegExp Request Response Set String Symbol SyntaxError TextDecoder TextEncoder TypeError
    URL URLSearchParams Uint8Array WeakMap WeakRef WeakSet WebSocket XMLHttpRequest afterAll afterEach alert
    atob beforeAll beforeEach btoa clearInterval clearTimeout confirm console crypto decodeURI
    decodeURIComponent describe document encodeURI encodeURIComponent eval exports expect fetch global globalThis
    history isFinite isNaN it jest localStorage location module navigator parseFloat parseInt performance process
    queueMicrotask require requestAnimationFrame sessionStorage setImmediate setInterval setTimeout
    structuredClone test undefined vi window""".split()
)

GO = frozenset(
    f"""{_COLLECTIONS} Add All Append Bytes Call Cancel Clone Close Context Contains Copy Count Debug Debugf Decode
    Deadline Delete Done Encode Equal Err Error Errorf Exec Fatal Fatalf Fields Find First Flush Format Fprintf Get
    HasPrefix HasSuffix Header Helper ID Index Info Infof Init Int Is Join Key Keys Len Less Load Lock Log Logf
    Marshal Match Name New Next Open Parse Path Ping Pop Print Printf Println Push Put QueryRow RLock RUnlock Range
    Read ReadAll Remove Replace Reset Run Scan Seek Send Serve Set Size Sleep Split Sprintf Start Stat Stop Store
    String Sub Sum Swap Time ToLower ToUpper Trim TrimSpace Type URL Unix Unlock Unmarshal Unwrap Update Value
    Values Wait Warn Write WriteHeader WriteString""".split()
)
GO_BUILTINS = frozenset(
    """append any bool byte cap clear close comparable complex complex64 complex128 copy delete error false
    float32 float64 imag int int8 int16 int32 int64 iota len make max min new nil panic print println real recover
    rune string true uint uint8 uint16 uint32 uint64 uintptr""".split()
)

RUST = frozenset(
    f"""{_COLLECTIONS} all and and_then any as_bytes as_deref as_mut as_path as_ref as_slice as_str await borrow
    borrow_mut chain chars clone cloned cmp collect chunks concat context cycle default deref display drain drop
    encode decode ends_with entry enumerate eq err exit expect expect_err extend_from_slice filter_map
    find_map finish flat_map flatten fmt fold for_each from from_str fuse get_mut get_or_insert_with into into_bytes
    into_inner into_iter is_empty is_err is_none is_ok is_some is_some_and iter_mut kind last_mut lines
    lock lt map_err map_or map_or_else max_by_key min_by_key next_back ok ok_or ok_or_else or or_else or_insert
    or_insert_with parse partial_cmp partition path poll position pop_front push_back push_str read_to_string recv rev
    skip skip_while spawn sort_by sort_by_key sort_unstable split_at split_whitespace starts_with step_by swap
    take take_while to_lowercase to_owned to_path_buf to_str to_string to_uppercase to_vec trim_end trim_start
    try_from try_into unwrap unwrap_err unwrap_or unwrap_or_default unwrap_or_else windows with_capacity write_all
    write_str""".split()
)
RUST_PRELUDE = frozenset(
    """Arc AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn
    FnMut FnOnce From FromIterator Hash HashMap HashSet Into IntoIterator Iterator None Ok Option Ord PartialEq
    PartialOrd Rc Result Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec assert bool char
    drop f32 f64 format i128 i16 i32 i64 i8 isize matches panic print println std str u128 u16 u32 u64 u8 usize
    vec write core alloc""".split()
)

JAVA = frozenset(
    f"""{_COLLECTIONS} accept addAll allMatch anyMatch append apply asList assertEquals assertFalse assertThat
    assertTrue build builder charAt cast clone collect compare compareTo compute computeIfAbsent containsKey
    create debug endsWith entrySet equalsIgnoreCase error execute findFirst flatMap get getBytes getClass getId getKey
    getMessage getName getOrDefault getSize getType getValue hashCode hasNext info invoke isEmpty isPresent iterator
    keySet limit listIterator mapToInt noneMatch now of ofNullable orElse orElseGet orElseThrow parseInt
    peek printStackTrace printf println putAll putIfAbsent removeIf reply setName setValue sorted startsWith stream
    submit supply test thenReturn toArray toCharArray toList toLowerCase toUpperCase valueOf verify warn when""".split()
)
JAVA_LANG = frozenset(
    """AssertionError AutoCloseable Boolean Byte CharSequence Character Class ClassLoader Cloneable Comparable Deprecated
    Double Enum Error Exception Float FunctionalInterface IllegalArgumentException IllegalStateException Integer
    InterruptedException Iterable Long Math NullPointerException Number Object Override Process Record Runnable
    Runtime RuntimeException Short String StringBuffer StringBuilder SuppressWarnings System Thread ThreadLocal
    Throwable UnsupportedOperationException Void boolean byte char double float int long short void""".split()
)

C = frozenset(
    f"""{_COLLECTIONS} assign at back begin c_str cbegin cend data emplace emplace_back end erase fetch_add
    find_first_of front getline good insert is_open load lower_bound make_pair max_size notify_all notify_one
    pop_back pop_front push_back push_front rbegin release rend reserve resize reset rfind store str substr swap
    top try_lock unlock upper_bound""".split()
)
C_NAMES = frozenset(
    """abort abs accept access assert atexit atof atoi atol bind bsearch calloc ceil clock close connect cos exit
    exp fabs fclose feof ferror fflush fgets floor fopen fork fprintf fputc fputs fread free fscanf fseek ftell fwrite
    getc getchar getenv gettimeofday htons isalnum isalpha isdigit islower isspace isupper listen log longjmp
    main malloc memchr memcmp memcpy memmove memset mmap offsetof open perror pow printf pthread_create putc putchar
    puts qsort raise rand read realloc recv remove rename rewind scanf select send setjmp setlocale signal sin sizeof
    sleep snprintf socket sprintf sqrt srand sscanf static_assert std strcasecmp strcat strchr strcmp strcpy strdup
    strerror strlen strncmp strncpy strrchr strstr strtod strtok strtol strtoul system tan time tolower toupper
    unlink va_arg va_end va_start vfprintf vsnprintf wait write defined static_cast dynamic_cast const_cast
    reinterpret_cast decltype alignof typeid bool char double float int long short unsigned void size_t""".split()
)
C_HEADERS = frozenset(
    """assert.h complex.h ctype.h errno.h fcntl.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h memory.h
    poll.h pthread.h sched.h semaphore.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h
    stdio.h stdlib.h stdnoreturn.h string.h strings.h tgmath.h threads.h time.h uchar.h unistd.h wchar.h wctype.h
    windows.h Python.h algorithm any array atomic bit bitset cassert cctype cerrno chrono climits cmath compare complex
    concepts condition_variable cstddef cstdint cstdio cstdlib cstring ctime deque exception execution expected
    filesystem format forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream
    iterator limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random
    ranges ratio regex set shared_mutex span sstream stack stdexcept stop_token streambuf string string_view
    system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant
    vector version""".split()
)

CSHARP = frozenset(
    f"""{_COLLECTIONS} Add AddRange All Any Append AppendLine AsSpan Build Cast Clear Clone Close Combine CompareTo
    Concat Configure Contains ContainsKey Copy CopyTo Count Create Debug Dispose Distinct Equals Error Except Exists
    Find First FirstOrDefault Flush Format Get GetAsync GetEnumerator GetHashCode GetType GetValue GroupBy Include
    IndexOf Info Insert Invoke Is IsNullOrEmpty Join Last Length Load Log Map Match Max Min MoveNext Next Of Open
    OrderBy Parse Pop Post Push Read ReadAsync Remove Replace Reset Reverse Run Save Select SelectMany Send Set
    Single Skip Sort Split Start StartsWith EndsWith Stop Substring Sum Take ThenBy ToArray ToDictionary ToList
    ToLower ToString ToUpper Trim TryGetValue TryParse Union Update Value Values Wait Where Write WriteLine Zip""".split()
)
CSHARP_NAMES = frozenset(
    """Action Array Boolean Byte Char Console Convert DateTime Decimal Dictionary Double Enum Enumerable Environment
    EventArgs Exception File Func Guid HashSet IDisposable IEnumerable IList Int32 Int64 List Math Nullable Object
    Path Random String StringBuilder System Task Thread TimeSpan Tuple Type Uri ValueTask bool byte char decimal double
    float int long nameof object sbyte short string typeof uint ulong ushort var void""".split()
)

RUBY = frozenset(
    f"""{_COLLECTIONS} all? any? call class collect compact concat create cycle debug detect dig downcase dup each_pair
    each_with_index each_with_object empty? end_with? error expect extend fetch find_by flat_map flatten freeze
    frozen? gsub gsub! group_by has_key? include? info inject inspect instance_variable_get is_a? key? kind_of? last
    lambda lines map! merge! method_missing minmax nil? none? order partition pluck present? blank? proc raise
    reject render require respond_to? select send! shift size sleep sort_by start_with? strip sub sum symbolize_keys
    tap tr to_a to_f to_h to_i to_proc to_s to_sym transform_values uniq unshift upcase warn where yield zip new""".split()
)
RUBY_NAMES = frozenset(
    """Array BasicObject Class Comparable Dir ENV Encoding Enumerable Errno Exception File Float Hash IO Integer
    Kernel Math Module Mutex NilClass Numeric Object Proc Process Random Range Rational Regexp RuntimeError Set
    StandardError String Struct Symbol Thread Time abort alias_method at_exit attr_accessor attr_reader attr_writer binding
    block_given? catch define_method exit extend fail format freeze gets include lambda loop module_function
    p prepend print printf private private_class_method private_constant proc protected public public_send puts
    raise rand require require_relative sleep sprintf super throw warn""".split()
)

PHP = frozenset(
    f"""{_COLLECTIONS} all assertEquals assertSame assertTrue assertFalse bind build call commit create debug each error
    execute fetch fetchAll fill find findOneBy getCode getId getMessage getName getType getValue handle info
    isEmpty make offsetGet offsetSet persist prepare query render rollback setName setValue toArray warning with
    where __construct __toString __get __set __call""".split()
)
PHP_NAMES = frozenset(
    """ArrayAccess ArrayIterator ArrayObject Closure Countable DateInterval DateTime DateTimeImmutable Error Exception
    Generator InvalidArgumentException Iterator IteratorAggregate JsonSerializable LogicException PDO
    ReflectionClass RuntimeException SplFileInfo Stringable Throwable Traversable TypeError array_filter
    array_key_exists array_keys array_map array_merge array_pop array_push array_shift array_slice array_unique
    array_values compact count define defined empty explode file_exists file_get_contents
    file_put_contents function_exists get_class implode in_array is_array is_callable is_int is_null is_numeric
    is_object is_string isset json_decode json_encode max md5 min preg_match preg_replace preg_split print_r printf
    sprintf str_contains str_replace strlen strpos strtolower strtoupper substr trim ucfirst unset usort var_dump
    array bool callable float int iterable mixed never null object string void""".split()
)
