// Graphs that change: DynamicGraph, and what it needs.
#pragma once

#include "fathom/dynamic/dynamic_graph.hpp"
