# cmake -DFOLDER=cli/shared/page -DOUTPUT=page.cpp -P EmbedPage.cmake: writes page.html as a string of C++, with the
# files that it names in marks (<!--@style.css-->) in their places. Other marks stay for the program.
file(READ ${FOLDER}/page.html page)
string(REGEX MATCHALL "<!--@[a-z]+\\.(css|js)-->" marks "${page}")
foreach(mark ${marks})
  string(REGEX REPLACE "<!--@(.*)-->" "\\1" name "${mark}")
  file(READ ${FOLDER}/${name} text)
  string(REPLACE "${mark}" "${text}" page "${page}")
endforeach()
# A literal is at most 64 KiB to some compilers: the page is one array of characters, a few literals long.
set(literals "")
string(LENGTH "${page}" left)
set(at 0)
while(at LESS left)
  string(SUBSTRING "${page}" ${at} 12000 piece)
  string(APPEND literals "R\"page(${piece})page\"\n")
  math(EXPR at "${at} + 12000")
endwhile()
file(WRITE ${OUTPUT} "// Written by cmake/EmbedPage.cmake.
#include \"cli/shared/page/template.hpp\"

namespace fathom::cli::page {

std::string_view html() {
  static constexpr char kPage[] =
${literals};
  return {kPage, sizeof(kPage) - 1};
}

}  // namespace fathom::cli::page
")
