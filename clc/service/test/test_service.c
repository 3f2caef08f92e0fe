/* SPDX-License-Identifier: Apache-2.0
 * The compiler process as the driver meets it: requests over a socket, answers, logs, death. */
#include "clc/service/test/service_test.h"

#include <elf.h>

/* ---- good programs ---- */

/* A device without images refuses samplers, also where events become plain pointers. */
static void samplers_need_images(void **state)
{
    (void)state;
    static const char *const sources[] = {
        "int use(sampler_t s) { return 1; }\nkernel void k(global int *o) { const sampler_t s = 0x10; *o = use(s); }\n",
        "int use(sampler_t s) { return 1; }\nkernel void k(global int *o, local int *l) { const sampler_t s = 0x10;\n"
        "event_t e = async_work_group_copy(l, o, 16, 0); wait_group_events(1, &e); *o = use(s) + l[3]; }\n"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(sources); i++) {
        struct tsr_clc_request request = {.op = TSR_CLC_BUILD, .source = {NULL, sources[i], strlen(sources[i])}, .options = ""};
        request.target = (struct tsr_target){.triple = TSR_TRIPLE_X86_64, .default_sub_group_size = 8, .macros = "-cl-ext=-all"};
        struct answer answer = ask(&request);
        expect(&answer, TSR_CLC_FAILED, "undefined reference to '__translate_sampler_initializer'");
        end(&answer);
    }
}

/* Each example of the tensor language's manual, and each spelling. */
static void tensor_texts_become_code(void **state)
{
    (void)state;
    static const char *const texts[] = {
#define TEXT(...) #__VA_ARGS__,
#include "tensor/test/good.def"
#undef TEXT
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(texts); i++)
        check(texts[i], "", TSR_CLC_DONE, NULL);
}

/* A request names its target: code for another is refused, features and engine are its own, and what was compiled for one does not go into
 * a program for another. */
static void targets(void **state)
{
    (void)state;
    static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] += 1; }";
    struct tsr_clc_request request = {.op = TSR_CLC_BUILD, .source = {NULL, source, sizeof source - 1}, .options = ""};
    request.target = (struct tsr_target){.triple = TSR_TRIPLE_X86_64, .default_sub_group_size = 8, .macros = "-cl-ext=-all"};
    request.target.engine = TSR_ENGINE_LANES;
    struct answer lanes = ask(&request);
    request.target.engine = TSR_ENGINE_REFERENCE;
    struct answer reference = ask(&request);
    assert_int_equal(lanes.result.outcome, TSR_CLC_DONE);
    assert_int_equal(reference.result.outcome, TSR_CLC_DONE);
    assert_string_equal(lanes.info.triple, TSR_TRIPLE_X86_64);
    assert_int_equal(lanes.info.cpu_features, 0);
    assert_int_equal(lanes.info.kernels[0].sub_group_size, 8);
    assert_true(lanes.info.kernels[0].flags & TSR_KERNEL_PACKETS);
    assert_false(reference.info.kernels[0].flags & TSR_KERNEL_PACKETS);
    end(&lanes);
    end(&reference);

    request.op = TSR_CLC_COMPILE;
    struct answer object = ask(&request);
    assert_int_equal(object.result.outcome, TSR_CLC_DONE);
    assert_string_equal(object.info.triple, TSR_TRIPLE_X86_64);
    request.target.triple = "another-cpu";
    struct answer unknown = ask(&request);
    assert_int_equal(unknown.result.outcome, TSR_CLC_UNAVAILABLE);
    assert_non_null(strstr(unknown.result.log, "'another-cpu'"));
    end(&unknown);

    struct tsr_program_info foreign = object.info;
    struct tsr_buf image = {0};
    foreign.triple = "another-cpu";
    tsr_image_write(&foreign, &image);
    struct tsr_clc_input input = {image.data, image.size};
    struct tsr_clc_request link = {.op = TSR_CLC_LINK, .input_count = 1, .inputs = &input, .options = ""};
    struct answer linked = ask(&link);
    assert_int_equal(linked.result.outcome, TSR_CLC_FAILED);
    assert_non_null(strstr(linked.result.log, "another-cpu"));
    tsr_buf_free(&image);
    end(&linked);
    end(&object);
}

/* Another language is another reader, which looks at the bytes first. */
static void language_of_the_source(void **state)
{
    (void)state;
    static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] += 1; }";
    struct tsr_clc_request request = {.language = TSR_CLC_SPIRV, .source = {NULL, source, sizeof source - 1}, .options = ""};
    struct answer answer = ask(&request);
    expect(&answer, TSR_CLC_FAILED, "magic number");
    end(&answer);
}

static const void *elf_section(const struct tsr_program_info *info, uint32_t type, uint64_t *count)
{
    const unsigned char *data = info->code;
    const Elf64_Ehdr *head = info->code;
    assert_memory_equal(head->e_ident, ELFMAG, SELFMAG);
    assert_int_equal(head->e_type, ET_DYN);
    assert_int_equal(head->e_machine, EM_X86_64);
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(data + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type == type) {
            *count = sections[i].sh_size / sections[i].sh_entsize;
            return data + sections[i].sh_offset;
        }
    }
    fail_msg("no section of type %u", type);
    return NULL;
}

/* The shared object needs no other, and exports the entry. */
static void shared_object(void **state)
{
    (void)state;
    struct answer answer = compile(TSR_CLC_BUILD, vadd, "");
    expect(&answer, TSR_CLC_DONE, NULL);
    assert_int_equal(answer.info.kind, TSR_IMAGE_EXECUTABLE);
    assert_int_equal(answer.info.kernel_count, 1);
    assert_string_equal(answer.info.kernels[0].name, "vadd");
    assert_int_equal(answer.info.kernels[0].arg_count, 3);
    assert_int_equal(answer.info.kernels[0].args[0].kind, TSR_ARG_POINTER);
    assert_int_equal(answer.info.kernels[0].args[2].size, 4);
    assert_true(answer.result.keep);
    assert_int_equal(answer.result.file_count, 0);
    uint64_t count;
    const Elf64_Dyn *dynamic = elf_section(&answer.info, SHT_DYNAMIC, &count);
    for (uint64_t i = 0; i < count; i++)
        assert_true(dynamic[i].d_tag != DT_NEEDED && dynamic[i].d_tag != DT_TEXTREL);
    const Elf64_Sym *symbols = elf_section(&answer.info, SHT_DYNSYM, &count);
    int defined = 0;
    for (uint64_t i = 1; i < count; i++)
        defined += symbols[i].st_shndx != SHN_UNDEF;
    assert_int_equal(defined, 1);
    end(&answer);
}

static void argument_info(void **state)
{
    (void)state;
    static const char source[] = "typedef float4 color;\n"
                                 "__attribute__((vec_type_hint(uint4))) __attribute__((reqd_work_group_size(4, 2, 1)))\n"
                                 "kernel void k(global const unsigned int *restrict p, local color *l, constant char *c, volatile "
                                 "global int *v, unsigned short s) { *v = *p + s + *c; }\n"
                                 "kernel __attribute__((work_group_size_hint(8,1,1))) __attribute__((intel_reqd_sub_group_size(32)))\n"
                                 "void a(void) {}\n";
    struct answer answer = compile(TSR_CLC_BUILD, source, "");
    expect(&answer, TSR_CLC_DONE, NULL);
    assert_int_equal(answer.info.kernel_count, 2);
    const struct tsr_kernel_info *a = &answer.info.kernels[0], *k = &answer.info.kernels[1];
    assert_string_equal(a->name, "a");
    assert_string_equal(a->attributes, "work_group_size_hint(8,1,1) intel_reqd_sub_group_size(32)");
    assert_int_equal(a->reqd_sub_group_size, 32);
    assert_int_equal(a->sub_group_size, 32);
    assert_true(a->flags & TSR_KERNEL_HAS_ARG_NAMES);
    assert_string_equal(k->attributes, "reqd_work_group_size(4,2,1) vec_type_hint(uint4)");
    assert_int_equal(k->reqd_local_size[1], 2);
    assert_int_equal(k->sub_group_size, 16);
    static const struct {
        const char *name, *type;
        uint32_t address;
        uint64_t qualifier;
    } expected[] = {
        {"p", "uint*", 0x119B, 3}, {"l", "color*", 0x119C, 0}, {"c", "char*", 0x119D, 1},
        {"v", "int*", 0x119B, 4},  {"s", "ushort", 0x119E, 0},
    };
    assert_int_equal(k->arg_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(k->args[i].name, expected[i].name);
        assert_string_equal(k->args[i].type_name, expected[i].type);
        assert_int_equal(k->args[i].address_qualifier, expected[i].address);
        assert_int_equal(k->args[i].access_qualifier, 0x11A3);
        assert_true(k->args[i].type_qualifier == expected[i].qualifier);
    }
    end(&answer);
}

static void every_option(void **state)
{
    (void)state;
    static const char *const words[] = {
#define TSR_OPTION(name, word, takers, clang) word,
#include "clc/common/options.def"
#undef TSR_OPTION
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(words); i++) {
        bool of_link = !strcmp(words[i], "-create-library") || !strcmp(words[i], "-enable-link-options");
        check(vadd, words[i], of_link ? TSR_CLC_INVALID_OPTIONS : TSR_CLC_DONE, of_link ? words[i] : NULL);
    }
}

/* What an option permits shows in the code of a kernel that has some use for it. */
static void options_in_code(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value; /* of float x, y, z */
        bool differs;
    } cases[] = {
        {"-cl-single-precision-constant", "x * 3.1", true}, {"-cl-mad-enable", "(t = x * y, t + z)", true},
        {"-cl-no-signed-zeros", "x + 0.0f", true},          {"-cl-unsafe-math-optimizations", "x + y - x", true},
        {"-cl-finite-math-only", "x == x ? y : z", true},   {"-cl-fast-relaxed-math", "sin(x)", true},
        {"-cl-fast-relaxed-math", "x == x ? y : z", true},  {"-cl-opt-disable", "x + y * z", true},
        {"-cl-strict-aliasing", "x + y * z", false},        {"-cl-mad-enable", "x + y", false},
        {"-cl-finite-math-only", "x < y ? y : z", false},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct answer answers[2];
        char *source = tsr_format("kernel void k(global float *p) { size_t i = get_global_id(0);\n"
                                  "float x = p[i], y = p[i + 999], z = p[i + 9999], t; p[i] = %s; }\n",
                                  cases[i].value);
        for (int with = 0; with < 2; with++) {
            answers[with] = compile(TSR_CLC_BUILD, source, with ? cases[i].option : "");
            expect(&answers[with], TSR_CLC_DONE, NULL);
        }
        const struct tsr_program_info *plain = &answers[0].info, *made = &answers[1].info;
        bool same = plain->code_size == made->code_size && !memcmp(plain->code, made->code, plain->code_size);
        if (same == cases[i].differs)
            fail_msg("%s makes %s code of %s", cases[i].option, same ? "the same" : "other", cases[i].value);
        end(&answers[0]);
        end(&answers[1]);
        tsr_free(source);
    }
}

static bool has_section(const struct tsr_program_info *info, const char *name)
{
    const char *data = info->code;
    const Elf64_Ehdr *head = info->code;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(data + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++)
        if (!strcmp(data + sections[head->e_shstrndx].sh_offset + sections[i].sh_name, name))
            return true;
    return false;
}

/* Debuggers get lines, and variables, with -g alone. */
static void debug_information(void **state)
{
    (void)state;
    static const char *const options[] = {"", "-g", "-g -cl-opt-disable"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(options); i++) {
        struct answer answer = compile(TSR_CLC_BUILD, vadd, options[i]);
        expect(&answer, TSR_CLC_DONE, NULL);
        assert_int_equal(has_section(&answer.info, ".debug_line"), i > 0);
        assert_int_equal(has_section(&answer.info, ".debug_info"), i > 0);
        end(&answer);
    }
}

/* What a program sees of the device and of its options. */
static void predefined(void **state)
{
    (void)state;
    check("#if __OPENCL_C_VERSION__ != 120 || __OPENCL_VERSION__ != 310 || __ENDIAN_LITTLE__ != 1\n#error a\n#endif\n"
          "#if __IMAGE_SUPPORT__ != 1 || defined(cl_intel_device_side_avc_motion_estimation) || cl_khr_3d_image_writes != 1\n"
          "#error b\n#endif\n"
          "#if defined(__FAST_RELAXED_MATH__) || CL_VERSION_3_0 != 300\n#error c\n#endif\n",
          "", TSR_CLC_DONE, NULL);
    check("#if __OPENCL_C_VERSION__ != 300\n#error a\n#endif\n", "-cl-std=CL3.0", TSR_CLC_DONE, NULL);
    check("#if __OPENCL_C_VERSION__ != CL_VERSION_3_1 || CL_VERSION_3_1 != 310 || __OPENCL_VERSION__ != 310\n#error a\n#endif\n",
          "-cl-std=CL3.1", TSR_CLC_DONE, NULL);
    check("kernel void k(global uint *p) { printf(\"%zu %td %zx\", (size_t)5, (ptrdiff_t)-5, (size_t)7); p[0] = bit_reverse(p[0]); }\n",
          "-cl-std=CL3.1 -Wall -Werror", TSR_CLC_DONE, NULL);
    check("#if __OPENCL_C_VERSION__ != 100\n#error a\n#endif\n", "-cl-std=CL1.0", TSR_CLC_DONE, NULL);
    check("#ifndef __FAST_RELAXED_MATH__\n#error a\n#endif\n", "-cl-fast-relaxed-math", TSR_CLC_DONE, NULL);
    check("#if A != 1 || B != 7\n#error a\n#endif\nconstant char t[] = C;\n#ifdef D\n#error d\n#endif\n", "-D A -DB=7 -DC=\\\"x\\\"",
          TSR_CLC_DONE, NULL);
    check("kernel void k(global float *p) { *p = 1.0; }\n", "-cl-single-precision-constant -Werror", TSR_CLC_DONE, NULL);
}

/* A device that lacks what a version of OpenCL C has does not compile it. */
static void versions_of_the_device(void **state)
{
    (void)state;
    const struct {
        const char *options, *macros, *trouble;
    } cases[] = {
        {"-cl-std=CL3.1", "-cl-ext=-all -D__OPENCL_VERSION__=300", "does not compile OpenCL C 3.1"},
        {"-cl-std=CL2.0", "-cl-ext=-all -D__OPENCL_VERSION__=300", "does not compile OpenCL C 2.0"},
        {"-cl-std=CL3.0", "-cl-ext=-all -D__OPENCL_VERSION__=300", NULL},
        {"-cl-std=CL3.1", tsr_clc_all_macros(), NULL},
        {"-cl-std=CL2.0", tsr_clc_all_macros(), NULL},
    };
    static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] = __OPENCL_C_VERSION__; }";
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct tsr_clc_request request = {.op = TSR_CLC_BUILD, .source = {NULL, source, sizeof source - 1}, .options = cases[i].options};
        request.target = (struct tsr_target){.triple = TSR_TRIPLE_X86_64, .default_sub_group_size = 8, .macros = cases[i].macros};
        struct answer answer = ask(&request);
        expect(&answer, cases[i].trouble ? TSR_CLC_FAILED : TSR_CLC_DONE, cases[i].trouble);
        end(&answer);
    }
}

/* ---- diagnostics ---- */

static void diagnostics(void **state)
{
    (void)state;
    static const char wrong[] = "kernel void k(global int *p)\n{\n    p[0] = undeclared;\n}\n";
    check(wrong, "", TSR_CLC_FAILED, "input.cl:3:12: error: use of undeclared identifier");
    check(wrong, "", TSR_CLC_FAILED, "    p[0] = undeclared;\n      |            ^");
    check("#warning careful\n", "", TSR_CLC_DONE, "warning: careful");
    check("#warning careful\n", "-Werror", TSR_CLC_FAILED, "error: careful");
    struct answer quiet = compile(TSR_CLC_BUILD, "#warning careful\n", "-w");
    expect(&quiet, TSR_CLC_DONE, NULL);
    assert_string_equal(quiet.result.log, "");
    end(&quiet);
    check("int f(int);\nkernel void k(global int *p) { *p = f(1); }\n", "", TSR_CLC_FAILED, "undefined reference to 'f' in 'k'");
    check("kernel void k(global int *p) {}\n", "-cl-nonsense", TSR_CLC_INVALID_OPTIONS, "-cl-nonsense");
    check("kernel void k(global int *p, int *q) {}\n", "", TSR_CLC_FAILED, "input.cl:1:");
}

/* Names that only the preprocessor makes: their declarations are not read at first. */
static void pasted_names(void **state)
{
    (void)state;
    check("#define N(a, b) a##b\nkernel void k(global int8 *c, int8 a) { c[0] = N(intel_sub_group_i8_i8_matrix, _mad_k32)(a, c[1], c[2]); "
          "}\n",
          "", TSR_CLC_DONE, NULL);
    check("#define N(a, b) a##b\nkernel void k(global int *c) { c[0] = N(intel_sub_gro, up_nothing)(c[1]); }\n", "", TSR_CLC_FAILED,
          "'intel_sub_group_nothing'");
}

static void sub_group_sizes(void **state)
{
    (void)state;
    check("__attribute__((intel_reqd_sub_group_size(4))) kernel void k() {}\n", "", TSR_CLC_FAILED, "sub-groups of 8, 16 and 32");
    static const char mad[] = "%s kernel void k(global int8 *c, global %s *a, global int8 *b)\n"
                              "{\n    c[0] = intel_sub_group_i8_i8_matrix_mad_k32(a[0], b[0], c[0]);\n}\n";
    static const struct {
        const char *attribute, *type, *error;
        uint32_t size, required;
    } cases[] = {
        {"", "int8", NULL, 8, 0},
        {"", "short8", NULL, 16, 0},
        {"__attribute__((intel_reqd_sub_group_size(8)))", "int8", NULL, 8, 8},
        {"__attribute__((intel_reqd_sub_group_size(16)))", "int8", "input.cl:3: error: intel_sub_group_i8_i8_matrix_mad_k32", 0, 0},
        {"__attribute__((intel_reqd_sub_group_size(8)))", "short8", "requires sub-group size 16", 0, 0},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        char source[512];
        snprintf(source, sizeof source, mad, cases[i].attribute, cases[i].type);
        struct answer answer = compile(TSR_CLC_BUILD, source, "");
        expect(&answer, cases[i].error ? TSR_CLC_FAILED : TSR_CLC_DONE, cases[i].error);
        if (!cases[i].error) {
            assert_int_equal(answer.info.kernels[0].sub_group_size, cases[i].size);
            assert_int_equal(answer.info.kernels[0].reqd_sub_group_size, cases[i].required);
        }
        end(&answer);
    }
    check("int8 h(short8 a, int8 b) { return intel_sub_group_i8_i8_matrix_mad_k32(a, b, b); }\n"
          "kernel void k(global int8 *c, int8 a) { c[0] = intel_sub_group_i8_i8_matrix_mad_k32(a, c[1], h((short8)1, c[2])); }\n",
          "", TSR_CLC_FAILED, "for sub-groups of 16");
}

/* ---- headers ---- */

static void put_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* How many files of the disk the build read. */
static uint32_t files_read(const struct answer *answer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < answer->result.file_count; i++)
        count += answer->result.files[i].found == TSR_WIRE_READ;
    return count;
}

static void headers(void **state)
{
    (void)state;
    static const char source[] = "#include \"a.h\"\n#include <dir/b.h>\nkernel void k(global int *p) { *p = A + B + C; }\n";
    struct tsr_clc_text list[] = {
        {"a.h", "#define A 1\n", 12}, {"dir/b.h", "#include \"c.h\"\n#define B 2\n", 27}, {"dir/c.h", "#define C 3\n", 12}};
    struct tsr_clc_request request = {.source = {NULL, source, strlen(source)}, .header_count = 3, .headers = list};
    put_file("a.h", "#error the given header comes first\n");
    struct answer answer = ask(&request);
    expect(&answer, TSR_CLC_DONE, NULL);
    assert_int_equal(files_read(&answer), 0);
    end(&answer);
    list[2].data = "broken here";
    list[2].size = 11;
    answer = ask(&request);
    expect(&answer, TSR_CLC_FAILED, "dir/c.h:1:1: error");
    end(&answer);

    /* Names from the root on, also one that a file of the disk has, whose neighbours are read from there. */
    static const char from_root[] =
        "#include \"/none/d.h\"\n#include FILE\n#include NEXT\nkernel void k(global int *p) { *p = D + E + F; }\n";
    char name[256], options[600];
    snprintf(name, sizeof name, "%s/e.h", folder);
    snprintf(options, sizeof options, "-DFILE=\\\"%s\\\" -DNEXT=\\\"%s/f.h\\\"", name, folder);
    struct tsr_clc_text rooted[] = {{"/none/d.h", "#define D 4\n", 12}, {name, "#define E 5\n", 12}};
    request =
        (struct tsr_clc_request){.source = {NULL, from_root, strlen(from_root)}, .header_count = 2, .headers = rooted, .options = options};
    put_file("e.h", "#error the given header comes first\n");
    put_file("f.h", "#define F 6\n");
    answer = ask(&request);
    expect(&answer, TSR_CLC_DONE, NULL);
    assert_int_equal(files_read(&answer), 1);
    end(&answer);
}

static void headers_on_disk(void **state)
{
    (void)state;
    char sub[64], path[96];
    snprintf(sub, sizeof sub, "%s/with space", folder);
    mkdir(sub, 0700);
    put_file("with space/disk.h", "#define A 5\n");
    put_file("here.h", "#define B 6\n");
    struct answer answer = compile(TSR_CLC_BUILD, "#include <disk.h>\n#include \"here.h\"\nconstant int x = A + B;\n", "-I \"with space\"");
    expect(&answer, TSR_CLC_DONE, NULL);
    assert_int_equal(files_read(&answer), 2);
    snprintf(path, sizeof path, "%s/disk.h", sub);
    bool found = false;
    struct tsr_hash hash = tsr_hash_bytes("#define A 5\n", 12);
    for (uint32_t i = 0; i < answer.result.file_count; i++) {
        const struct tsr_wire_file *file = &answer.result.files[i];
        found |= !strcmp(file->path, path) && file->found == TSR_WIRE_READ && file->hash.lo == hash.lo && file->hash.hi == hash.hi;
    }
    assert_true(found);
    end(&answer);
    answer = compile(TSR_CLC_BUILD, "constant char x[] = __TIME__;\n", "");
    expect(&answer, TSR_CLC_DONE, NULL);
    assert_false(answer.result.keep); /* another time, another program */
    end(&answer);
}

static void hostile_includes(void **state)
{
    (void)state;
    char path[96], source[160];
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    check("#include \"fifo\"\n", "", TSR_CLC_FAILED, "fifo");
    check("#include \"/dev/zero\"\n", "", TSR_CLC_FAILED, "/dev/zero");
    check("#include </dev/stdin>\n", "", TSR_CLC_FAILED, "/dev/stdin");
    snprintf(source, sizeof source, "#include \"%s\"\n", folder);
    check(source, "", TSR_CLC_FAILED, folder);
    put_file("self.h", "#include \"self.h\"\n");
    check("#include \"self.h\"\n", "", TSR_CLC_FAILED, "nested too deeply");
}

static void bombs(void **state)
{
    (void)state;
    struct tsr_buf text = {0};
    for (int i = 0; i < 100000; i++)
        tsr_buf_bytes(&text, "(", 1);
    tsr_buf_bytes(&text, "", 1);
    char *source = tsr_format("constant int x = %s1;\n", (const char *)text.data);
    check(source, "", TSR_CLC_FAILED, "nesting level exceeded");
    tsr_free(source);
    text.size = 0;
    for (int i = 0; i < 100000; i++) /* more errors than anyone reads */
        tsr_buf_printf(&text, "wrong%d x%d;\n", i, i);
    tsr_buf_bytes(&text, "", 1);
    check((const char *)text.data, "", TSR_CLC_FAILED, "too many errors");
    text.size = 0;
    for (int i = 0; i < 1 << 20; i++) /* an unknown name, for which no other one is looked for */
        tsr_buf_bytes(&text, "x", 1);
    tsr_buf_bytes(&text, "", 1);
    source = tsr_format("constant int x = %s;\n", (const char *)text.data);
    check(source, "", TSR_CLC_FAILED, "use of undeclared identifier");
    tsr_free(source);
    tsr_buf_free(&text);
}

/* ---- compile and link ---- */

static void separate(void **state)
{
    (void)state;
    struct answer user = compile(TSR_CLC_COMPILE, "int f(int);\nkernel void k(global int *p) { *p = f(*p); }\n", "");
    struct answer other = compile(TSR_CLC_COMPILE, "int f(int x) { return x + get_global_id(0); }\nkernel void l(void) {}\n", "");
    expect(&user, TSR_CLC_DONE, NULL);
    expect(&other, TSR_CLC_DONE, NULL);
    assert_int_equal(user.info.kind, TSR_IMAGE_OBJECT);
    struct answer linked = link_two(&user, &other, "");
    expect(&linked, TSR_CLC_DONE, NULL);
    assert_int_equal(linked.info.kind, TSR_IMAGE_EXECUTABLE);
    assert_int_equal(linked.info.kernel_count, 2);
    assert_string_equal(linked.info.kernels[0].args[0].name, "p");

    struct answer twice = link_two(&user, &user, "");
    expect(&twice, TSR_CLC_FAILED, "symbol multiply defined");
    struct tsr_clc_input alone = {user.result.image, user.result.image_size};
    struct tsr_clc_request request = {.op = TSR_CLC_LINK, .input_count = 1, .inputs = &alone};
    struct answer undefined = ask(&request);
    expect(&undefined, TSR_CLC_FAILED, "undefined reference to 'f' in 'k'");
    struct answer wrong_kind = link_two(&linked, &other, "");
    expect(&wrong_kind, TSR_CLC_FAILED, "executable");
    struct answer bad_option = link_two(&user, &other, "-cl-mad-enable");
    expect(&bad_option, TSR_CLC_INVALID_OPTIONS, "-cl-mad-enable");

    alone = (struct tsr_clc_input){other.result.image, other.result.image_size};
    request.options = "-create-library -enable-link-options";
    struct answer library = ask(&request);
    expect(&library, TSR_CLC_DONE, NULL);
    assert_int_equal(library.info.kind, TSR_IMAGE_LIBRARY);
    struct answer with_library = link_two(&user, &library, "-cl-fast-relaxed-math");
    expect(&with_library, TSR_CLC_DONE, NULL);
    assert_int_equal(with_library.info.kernel_count, 2);
    struct tsr_clc_input both[] = {{user.result.image, user.result.image_size}, {library.result.image, library.result.image_size}};
    request = (struct tsr_clc_request){.op = TSR_CLC_LINK, .input_count = 2, .inputs = both, .by_kernel = true, .options = ""};
    struct answer program = ask(&request);
    expect(&program, TSR_CLC_DONE, NULL);
    assert_int_equal(program.info.kind, TSR_IMAGE_PROGRAM);
    alone = (struct tsr_clc_input){program.result.image, program.result.image_size};
    request = (struct tsr_clc_request){.op = TSR_CLC_CODE, .input_count = 1, .inputs = &alone, .kernel = "k", .options = ""};
    struct answer code = ask(&request);
    expect(&code, TSR_CLC_DONE, NULL);
    assert_int_equal(code.info.kind, TSR_IMAGE_EXECUTABLE);

    struct answer *all[] = {&user, &other, &linked, &twice, &undefined, &wrong_kind, &bad_option, &library, &with_library, &program, &code};
    for (size_t i = 0; i < TSR_ARRAY_LEN(all); i++)
        end(all[i]);
}

/* A program whose kernels become code one by one, and what keeps a program from that. */
static void kernel_by_kernel(void **state)
{
    (void)state;
    static const char source[] = "int f(int x) { return x + get_global_id(0); }\n"
                                 "kernel void k(global int *p) { *p = f(*p); }\n"
                                 "kernel void l(global float *p, float x) { *p = sin(x); }\n";
    struct tsr_clc_request build = {.op = TSR_CLC_BUILD, .source = {NULL, source, sizeof source - 1}, .by_kernel = true, .options = ""};
    struct answer program = ask(&build);
    expect(&program, TSR_CLC_DONE, NULL);
    assert_int_equal(program.info.kind, TSR_IMAGE_PROGRAM);
    assert_int_equal(program.info.kernel_count, 2);
    assert_string_equal(program.info.kernels[1].name, "l");

    struct tsr_clc_input input = {program.result.image, program.result.image_size};
    struct tsr_clc_request code = {.op = TSR_CLC_CODE, .input_count = 1, .inputs = &input, .kernel = "l", .options = ""};
    struct answer one = ask(&code);
    expect(&one, TSR_CLC_DONE, NULL);
    assert_int_equal(one.info.kind, TSR_IMAGE_EXECUTABLE);
    assert_int_equal(one.info.kernel_count, 1);
    assert_string_equal(one.info.kernels[0].name, "l");
    assert_int_equal(one.info.kernels[0].arg_count, 2);
    code.kernel = NULL;
    struct answer all = ask(&code);
    expect(&all, TSR_CLC_DONE, NULL);
    assert_int_equal(all.info.kernel_count, 2);
    input = (struct tsr_clc_input){one.result.image, one.result.image_size};
    struct answer coded = ask(&code);
    expect(&coded, TSR_CLC_FAILED, "no module");
    code.input_count = 0;
    struct answer none = ask(&code);
    expect(&none, TSR_CLC_FAILED, "error");

    static const char shared[] = "global int v;\nkernel void k(void) { v = 1; }\nkernel void l(global int *p) { *p = v; }\n";
    build.source = (struct tsr_clc_text){NULL, shared, sizeof shared - 1};
    build.options = "-cl-std=CL3.0";
    struct answer variable = ask(&build);
    expect(&variable, TSR_CLC_DONE, NULL);
    assert_int_equal(variable.info.kind, TSR_IMAGE_EXECUTABLE);
    static const char undefined[] = "int g(int);\nkernel void k(global int *p) { *p = g(1); }\nkernel void l(void) {}\n";
    build.source = (struct tsr_clc_text){NULL, undefined, sizeof undefined - 1};
    struct answer missing = ask(&build);
    expect(&missing, TSR_CLC_FAILED, "undefined reference to 'g' in 'k'");

    struct answer *answers[] = {&program, &one, &all, &coded, &none, &variable, &missing};
    for (size_t i = 0; i < TSR_ARRAY_LEN(answers); i++)
        end(answers[i]);
}

static bool is_later(const struct answer *answer)
{
    return answer->info.kernels[0].flags & TSR_KERNEL_PARTIAL_LATER;
}

/* A program of one kernel becomes code at once, but for packets that are not full; what keeps a program from that. */
static void one_kernel(void **state)
{
    (void)state;
    static const char alone[] = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n",
                      shared[] = "global int v;\nkernel void k(global int *p) { p[get_global_id(0)] = v++; }\n",
                      two[] =
                          "global int v;\nkernel void k(global int *p) { p[get_global_id(0)] = v++; }\nkernel void l(void) { v = 1; }\n";
    struct tsr_clc_request build = {.op = TSR_CLC_BUILD, .bodies = TSR_BODIES_FULL, .options = "-cl-std=CL3.0"};
    build.source = (struct tsr_clc_text){NULL, alone, sizeof alone - 1};
    struct answer whole = ask(&build);
    expect(&whole, TSR_CLC_DONE, NULL);
    assert_false(is_later(&whole));
    build.by_kernel = true;
    struct answer full = ask(&build);
    expect(&full, TSR_CLC_DONE, NULL);
    assert_int_equal(full.info.kind, TSR_IMAGE_EXECUTABLE);
    assert_true(is_later(&full) && full.info.module_size && full.info.code_size < whole.info.code_size);

    struct tsr_clc_input input = {full.result.image, full.result.image_size};
    struct tsr_clc_request code = {
        .op = TSR_CLC_CODE, .input_count = 1, .inputs = &input, .kernel = "k", .bodies = TSR_BODIES_PARTIAL, .options = ""};
    struct answer partial = ask(&code);
    expect(&partial, TSR_CLC_DONE, NULL);
    assert_int_equal(partial.info.kernels[0].sub_group_size, full.info.kernels[0].sub_group_size);
    assert_true(partial.info.code_size < whole.info.code_size);

    build.source = (struct tsr_clc_text){NULL, shared, sizeof shared - 1};
    struct answer variable = ask(&build);
    expect(&variable, TSR_CLC_DONE, NULL);
    assert_false(is_later(&variable));
    build.source = (struct tsr_clc_text){NULL, two, sizeof two - 1};
    struct answer several = ask(&build);
    expect(&several, TSR_CLC_DONE, NULL);
    assert_int_equal(several.info.kind, TSR_IMAGE_EXECUTABLE);
    assert_false(is_later(&several));

    struct answer *answers[] = {&whole, &full, &partial, &variable, &several};
    for (size_t i = 0; i < TSR_ARRAY_LEN(answers); i++)
        end(answers[i]);
}

/* The whole program carries its module, of which code for another CPU can be made. */
static void module_beside_code(void **state)
{
    (void)state;
    static const char source[] = "kernel void k(global int *p) { *p = 1; }\nkernel void l(global float *p) { *p = fma(*p, 2.0f, 1.0f); }\n";
    struct answer whole = compile(TSR_CLC_BUILD, source, "");
    expect(&whole, TSR_CLC_DONE, NULL);
    assert_true(whole.info.module_size);
    struct tsr_clc_input input = {whole.result.image, whole.result.image_size};
    struct tsr_clc_request code = {
        .op = TSR_CLC_CODE, .input_count = 1, .inputs = &input, .options = "", .target = {TSR_TRIPLE_X86_64, .default_sub_group_size = 16}};
    struct answer low = ask(&code);
    expect(&low, TSR_CLC_DONE, NULL);
    assert_int_equal(low.info.cpu_features, 0);
    assert_int_equal(low.info.kernel_count, 2);
    assert_true(low.info.module_size);
    code.kernel = "l";
    struct answer one = ask(&code);
    expect(&one, TSR_CLC_DONE, NULL);
    assert_int_equal(one.info.kernel_count, 1);
    assert_int_equal(one.info.module_size, 0);
    code.kernel = NULL;
    code.by_kernel = true;
    struct answer program = ask(&code);
    expect(&program, TSR_CLC_DONE, NULL);
    assert_int_equal(program.info.kind, TSR_IMAGE_PROGRAM);

    /* Modules that are damaged, under a right checksum. */
    unsigned char *module = malloc(whole.info.module_size);
    size_t size = whole.info.module_size;
    for (size_t at = 0; at < size; at += at < 16 ? 1 : 97) {
        memcpy(module, whole.info.module, size);
        module[at] ^= 0xff;
        struct tsr_program_info bad = whole.info;
        bad.module = module;
        struct tsr_buf image = {0};
        tsr_image_write(&bad, &image);
        input = (struct tsr_clc_input){image.data, image.size};
        struct answer refused = ask(&code);
        if (refused.result.outcome != TSR_CLC_DONE) /* a bit of a name may change unnoticed */
            expect(&refused, TSR_CLC_FAILED, "error: ");
        else
            assert_true(at >= 16);
        end(&refused);
        tsr_buf_free(&image);
    }
    free(module);
    struct answer *answers[] = {&whole, &low, &one, &program};
    for (size_t i = 0; i < TSR_ARRAY_LEN(answers); i++)
        end(answers[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplers_need_images),
        cmocka_unit_test(tensor_texts_become_code),
        cmocka_unit_test(targets),
        cmocka_unit_test(language_of_the_source),
        cmocka_unit_test(shared_object),
        cmocka_unit_test(argument_info),
        cmocka_unit_test(every_option),
        cmocka_unit_test(options_in_code),
        cmocka_unit_test(predefined),
        cmocka_unit_test(versions_of_the_device),
        cmocka_unit_test(debug_information),
        cmocka_unit_test(diagnostics),
        cmocka_unit_test(sub_group_sizes),
        cmocka_unit_test(headers),
        cmocka_unit_test(headers_on_disk),
        cmocka_unit_test(hostile_includes),
        cmocka_unit_test(bombs),
        cmocka_unit_test(separate),
        cmocka_unit_test(kernel_by_kernel),
        cmocka_unit_test(one_kernel),
        cmocka_unit_test(module_beside_code),
        cmocka_unit_test(pasted_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
