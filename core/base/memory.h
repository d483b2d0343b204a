#pragma once

namespace sunder {

/// Lets the process keep large blocks that are freed, for the next ones of their kind: a step frees and asks for the same ones again and again, and
/// pages that go back to the system have to be cleared each time. For programs of our own, never inside a host.
void keepFreedMemory();

}  // namespace sunder
