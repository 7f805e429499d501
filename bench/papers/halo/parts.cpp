// The parts of `fathom bench halo`: orders, HALO-II's samples, Kronecker graphs by size, and what
// unified memory is told.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/papers/halo/halo.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli::halo {
namespace {

void append(Json& to, Json rows) {
  for (Json& row : rows) to.push_back(std::move(row));
}

std::vector<Place> places(const std::vector<std::string>& residencies) {
  std::vector<Place> all;
  all.reserve(residencies.size());
  for (const std::string& residency : residencies) all.push_back({residency, false, false});
  return all;
}

/// Rows of a graph in one order, one for each place. What holds no search is dropped from `at`,
/// and named.
Json measure(const Command& c, Subject& subject, const Ordered& ordered, std::vector<Place>& at,
             bool together, Session& session, Json& left_out) {
  Json rows = Json::array();
  std::vector<Place> fit;
  for (const Place& place : at) {
    try {
      rows.push_back(row_of(subject, ordered, place,
                            search(c, subject, ordered, place, together, session), together));
      fit.push_back(place);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw;
      left_out.push_back(fmt::format("{} ({}), {} and later, {}: {}", subject.name, subject.form,
                                     ordered.method, place.residency, e.what()));
    }
  }
  at = fit;
  return rows;
}

struct Advice {
  bool read_mostly, prefetch;
};
constexpr std::array kAdvice{Advice{false, false}, Advice{false, true}, Advice{true, false},
                             Advice{true, true}};

}  // namespace

void orders_part(const Command& c, Subject& subject, const Scratch& scratch, Session& session,
                 Json& report) {
  std::vector<Place> alone = places(c.residencies), together = alone;
  Json one = Json::array(), several = Json::array();
  for (const std::string& method : c.methods) {
    const Ordered ordered = make_ordered(c, subject, method, c.order.samples, scratch, session);
    if (c.wants("single"))
      append(one, measure(c, subject, ordered, alone, false, session, report["left_out"]));
    if (c.wants("multi"))
      append(several, measure(c, subject, ordered, together, true, session, report["left_out"]));
  }
  add_speedups(one);
  add_speedups(several);
  if (c.wants("single")) append(report["single"]["rows"], std::move(one));
  if (c.wants("multi")) append(report["multi"]["rows"], std::move(several));
}

void samples_part(const Command& c, Subject& subject, const Scratch& scratch, Session& session,
                  Json& report) {
  std::vector<Place> at = places({c.residencies.front()});
  Json rows = measure(c, subject, make_ordered(c, subject, "natural", 0, scratch, session), at,
                      false, session, report["left_out"]);
  std::vector<VertexId> counts{0};  // of the rows; natural order takes none
  for (const VertexId k : c.sample_counts) {
    if (at.empty()) return;
    const Ordered ordered = make_ordered(c, subject, "halo2", k, scratch, session);
    append(rows, measure(c, subject, ordered, at, false, session, report["left_out"]));
    counts.resize(rows.size(), k);
  }
  if (rows.empty()) return;
  add_speedups(rows);
  const double last = rows.back()["log_gap"].get<double>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double gap = rows[i]["log_gap"].get<double>();
    rows[i]["samples"] = counts[i] > 0 ? Json(counts[i]) : Json(nullptr);
    rows[i]["log_gap_ratio"] = last > 0 ? Json(gap / last) : Json(nullptr);
  }
  append(report["samples"], std::move(rows));
}

void scaling_part(const Command& c, Subject& subject, const Scratch& scratch, Session& session,
                  Json& report) {
  std::vector<Place> at = places(c.residencies);
  Json rows = Json::array();
  for (const char* method : {"natural", "halo2"}) {
    const Ordered ordered = make_ordered(c, subject, method, c.order.samples, scratch, session);
    append(rows, measure(c, subject, ordered, at, false, session, report["left_out"]));
  }
  add_speedups(rows);
  append(report["scaling"]["rows"], std::move(rows));
}

void advice_part(const Command& c, Subject& subject, const Scratch& scratch, Session& session,
                 Json& report) {
  Json rows = Json::array();
  for (const char* method : {"natural", "halo2"}) {
    const Ordered ordered = make_ordered(c, subject, method, c.order.samples, scratch, session);
    for (const Advice& advice : kAdvice) {
      std::vector<Place> at{{"managed", advice.read_mostly, advice.prefetch}};
      Json row = measure(c, subject, ordered, at, false, session, report["left_out"]);
      if (row.empty()) return;
      row[0]["read_mostly"] = advice.read_mostly;
      row[0]["prefetch"] = advice.prefetch;
      append(rows, std::move(row));
    }
  }
  const double plain = rows[0]["seconds"]["mean"].get<double>();
  for (Json& row : rows) row["speedup"] = plain / row["seconds"]["mean"].get<double>();
  append(report["advice"], std::move(rows));
}

}  // namespace fathom::cli::halo
