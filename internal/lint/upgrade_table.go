package lint

// hostEnds lists common top-level domains that rarely end the name of a file or a name in code.
const hostEnds = "com|net|org|io|dev|app|ai|co|cloud|info|biz|xyz|site|online|top|ru|cn|de|uk|eu|fr|nl|jp|kr|br|ws|tk|onion|internal|invalid|test|example"
