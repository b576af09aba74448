package lint

// hostEnds are last parts of the names of hosts that are common enough, and rarely the end of
// a file's name or of a name in code.
const hostEnds = "com|net|org|io|dev|app|ai|co|cloud|info|biz|xyz|site|online|top|ru|cn|de|uk|eu|fr|nl|jp|kr|br|ws|tk|onion|internal|invalid|test|example"
