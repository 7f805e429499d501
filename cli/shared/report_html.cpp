#include "cli/shared/report_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/shared/page/template.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

/// JSON that is ASCII, and has no character that means something to HTML.
std::string script_safe(const Json& json) {
  std::string safe;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<' || c == '>' || c == '&')
      safe += fmt::format("\\u{:04x}", c);  // these are in strings alone
    else
      safe += c;
  }
  return safe;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

Json joined(const Json& steps, std::size_t together) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < steps.size(); i += together) {
    Json row = steps[i];
    for (std::size_t j = i + 1; j < std::min(steps.size(), i + together); ++j)
      for (const auto& [key, value] : steps[j].items()) {
        Json& all = row[key];
        if (value.is_number_unsigned())
          all = all.get<std::uint64_t>() + value.get<std::uint64_t>();
        else if (value.is_number())
          all = all.get<double>() + value.get<double>();
        else if (all != value)
          all = "mixed";
      }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The report, with no more supersteps than a page can show.
std::string report_text(const Json& report) {
  const auto steps = report.find("supersteps");
  if (steps == report.end() || steps->size() <= kMostSupersteps) return script_safe(report);
  const std::size_t together = (steps->size() + kMostSupersteps - 1) / kMostSupersteps;
  Json shorter = Json::object();
  for (const auto& [key, value] : report.items())
    shorter[key] = key == "supersteps" ? joined(value, together) : value;
  shorter["supersteps_joined"] = together;
  return script_safe(shorter);
}

/// A value of the report where it is there and of this type.
template <class T>
T get(const Json& json, std::string_view pointer, T otherwise) {
  const Json::json_pointer at{std::string(pointer)};
  if (!json.contains(at) || json.at(at).is_null()) return otherwise;
  try {
    return json.at(at).get<T>();
  } catch (const Json::exception&) {
    return otherwise;
  }
}

std::string title_of(const Json& report) {
  const std::string path = get<std::string>(report, "/graph/path", "");
  return fmt::format("{} of {}", escaped(get<std::string>(report, "/algorithm", "a run")),
                     escaped(path.substr(path.rfind('/') + 1)));
}

std::string verdict_of(const Json& report) {
  std::string text = get(report, "/converged", true) ? "" : "Not converged. ";
  if (const Json verified = report.value("verified", Json()); verified.is_boolean())
    text += verified.get<bool>() ? "Verified." : "Verification failed.";
  return text.empty() ? "Not verified." : text;
}

/// What the page says where no script runs.
std::string summary_of(const Json& report) {
  std::string rows;
  const auto row = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  };
  const auto count = [&](std::string_view at) {
    return format_count(get(report, at, std::uint64_t{0}));
  };
  const auto bytes = [&](std::string_view at) {
    return report.contains(Json::json_pointer{std::string(at)}) &&
                   report.at(Json::json_pointer{std::string(at)}).is_number_unsigned()
               ? format_bytes(get(report, at, std::uint64_t{0}))
               : "";
  };
  row("graph", get<std::string>(report, "/graph/path", ""));
  row("vertices", count("/graph/vertices"));
  row("edges", count("/graph/edges"));
  row("verdict", verdict_of(report));
  row("time", format_seconds(get(report, "/seconds/median", 0.)));
  row("edges looked at", count("/edges_traversed"));
  row("edges per second", format_count(static_cast<std::uint64_t>(
                              std::clamp(get(report, "/gteps", 0.), 0., 1e9) * 1e9)));
  row("iterations", count("/iterations"));
  row("device", get<std::string>(report, "/device/name", ""));
  row("edges lived", fmt::format("{} ({})", get<std::string>(report, "/residency", "?"),
                                 get<std::string>(report, "/residency_reason", "?")));
  row("read over the link", bytes("/link/bytes"));
  row("read from disk", bytes("/disk/bytes"));
  row("most of a device's memory", bytes("/peak_device_bytes"));
  row("most of the host's budget", bytes("/peak_host_bytes"));
  const Json result = report.value("result", Json());
  if (!result.is_object()) return rows;
  for (const auto& [name, value] : result.items()) {
    if (!value.is_primitive()) continue;
    row(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return rows;
}

}  // namespace

std::string html_report(const Json& report) {
  std::string page;
  std::string_view rest = page::html();
  while (true) {
    // Marks are comments: <!--title-->. What takes their place is not looked at again.
    const std::size_t mark = rest.find("<!--@");
    page += rest.substr(0, mark);
    if (mark == std::string_view::npos) return page;
    const std::size_t end = rest.find("-->", mark);
    const std::string_view name = rest.substr(mark + 5, end - mark - 5);
    if (name == "title")
      page += title_of(report);
    else if (name == "summary")
      page += summary_of(report);
    else if (name == "report")
      page += report_text(report);
    rest.remove_prefix(end + 3);
  }
}

}  // namespace fathom::cli
