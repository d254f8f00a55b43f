# cmake -DIN=fencepost.lua -DOUT=x.cc -DHEADER=lab/wire_schema.h -DFUNCTION=embedded_dissector
#   -P embed_text.cmake
# Writes a text file into a source file.
file(READ ${IN} text)
file(WRITE ${OUT} "#include \"${HEADER}\"\n\nnamespace fencepost::lab {\n\n")
file(APPEND ${OUT} "std::string_view ${FUNCTION}() {\n  return R\"text(${text})text\";\n}\n\n")
file(APPEND ${OUT} "}  // namespace fencepost::lab\n")
