// A list whose nodes come from a memory manager: the same source for host threads and kernels.
#pragma once

#include <fathom/core/platform.hpp>

struct Node {
  Node* next;
  unsigned value;
};

/// Builds a list of `length` nodes, walks it, frees it; returns how many nodes it had.
template <class MM>
FATHOM_HD unsigned build_and_free(const MM& mm, unsigned length) {
  Node* head = nullptr;
  for (unsigned i = 0; i < length; ++i) {
    auto* node = static_cast<Node*>(mm.malloc(sizeof(Node)));
    if (node == nullptr) break;  // memory is used up
    node->next = head;
    node->value = i;
    head = node;
  }
  unsigned found = 0;
  while (head != nullptr) {
    Node* next = head->next;
    mm.free(head);
    head = next;
    ++found;
  }
  return found;
}

/// The same in a kernel; false when it went wrong, true also where there is no device.
bool lists_on_device(unsigned length);
