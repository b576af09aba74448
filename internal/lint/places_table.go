package lint

// secretWords are words in the name of a secret. A word of the class key means a secret only after a word of the class
// "of a key", as in "api key".
var secretWords = wordsOf(
	wordRow{"secret", "password passwords passwd passphrase secret secrets credential credentials dotenv apikey privatekey cookie cookies mnemonic netrc"},
	wordRow{"key", "key keys token rsa phrase"},
	wordRow{"of a key", "api private ssh access auth bearer session signing encryption id seed recovery"},
)

// writeWords are words in the name of a parameter for a file that is written.
var writeWords = wordsOf(
	wordRow{"written", "output out outfile dest destination target save write export download outputs to"},
	wordRow{"place", "path file filename dir directory folder outfile"},
)

// wholeWords lists the words that isWhole allows in a description.
var wholeWords = wordsOf(
	wordRow{"all", "all full entire complete whole everything every user users your raw verbatim unabridged"},
	wordRow{"thing", "environment env conversation chat"},
	wordRow{"private", "private"}, wordRow{"key", "key keys"}, wordRow{"system", "system"}, wordRow{"prompt", "prompt"},
	wordRow{"filler", "the of s ssh variables variable vars history log transcript messages in this current so far from and previous session process"},
)
