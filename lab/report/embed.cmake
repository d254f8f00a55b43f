# cmake -DFOLDER=lab/report/page -DSCRIPTS=a.js,b.js -DOUT=page_parts.cc -P embed.cmake
# Writes the files of the page into a source file. The scripts become one, in a scope of their own.
function(append_part function text)
  file(APPEND ${OUT} "std::string_view ${function}() {\n  return R\"page(${text})page\";\n}\n\n")
endfunction()

file(WRITE ${OUT} "#include \"lab/report/page_parts.h\"\n\nnamespace fencepost::lab {\n\n")
file(READ ${FOLDER}/report.html html)
append_part(page_html "${html}")
file(READ ${FOLDER}/report.css style)
append_part(page_style "${style}")
string(REPLACE "," ";" names "${SCRIPTS}")
set(script "(async () => {\n\"use strict\";\n")
foreach(name IN LISTS names)
  file(READ ${FOLDER}/${name} text)
  string(APPEND script "// ---- ${name} ----\n${text}\n")
endforeach()
string(APPEND script "})().catch(problem => {
  document.getElementById(\"loading\").textContent = `The run cannot be shown: ${problem.message}`;
  throw problem;
});")
append_part(page_script "${script}")
file(APPEND ${OUT} "}  // namespace fencepost::lab\n")
