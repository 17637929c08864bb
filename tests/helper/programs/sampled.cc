// A program of which the tests look up addresses. It is never run.

extern "C" {
int first(int n);
int second(int n);
}

namespace demo {

template <typename T>
__attribute__((noinline)) T Twice(T value) {
  return value * 2 + 1;
}

template double Twice<double>(double);

namespace {

__attribute__((noinline)) int Hidden(int n) { return n * n + 3; }

inline __attribute__((always_inline)) int Innermost(int n, const unsigned long* more) {
  __asm__ volatile(".globl in_innermost\nin_innermost:\n nop");
  return n + static_cast<int>(*more);
}

}  // namespace

struct Shape {
  inline __attribute__((always_inline)) int Area(const unsigned long& side) const {
    return Innermost(n, &side) * 2;
  }
  int n = 0;
};

// Not also inlined into main(), because the label may occur only once.
__attribute__((noinline)) int Outer(int n) {
  const unsigned long side = static_cast<unsigned long>(Hidden(n));
  return Shape{n}.Area(side) + Twice(n);
}

}  // namespace demo

int main(int argc, char**) { return (demo::Outer(argc) + first(argc) + second(argc)) & 1; }
