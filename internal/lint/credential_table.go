package lint

// keyBlock begins a private key, and other things in PEM.
const keyBlock = "-----BEGIN"

// credentials are access tokens that can be told by their form: each has the prefix of its service and,
// after it, from least to most characters.
var credentials = [...]struct {
	of, prefix  string
	least, most int
}{
	{"AWS", "AKIA", 16, 16}, {"AWS", "ASIA", 16, 16},
	{"GitHub", "ghp_", 36, 36}, {"GitHub", "gho_", 36, 36}, {"GitHub", "ghu_", 36, 36}, {"GitHub", "ghs_", 36, 36}, {"GitHub", "ghr_", 36, 76},
	{"GitHub", "github_pat_", 82, 82}, {"GitLab", "glpat-", 20, 64}, {"npm", "npm_", 36, 36}, {"PyPI", "pypi-AgEI", 60, 256},
	{"Google", "AIza", 35, 35}, {"Slack", "xoxb-", 40, 80}, {"Slack", "xoxp-", 60, 90}, {"Slack", "xapp-", 60, 120},
	{"Stripe", "sk_live_", 24, 128}, {"Stripe", "rk_live_", 24, 128}, {"SendGrid", "SG.", 66, 66}, {"Hugging Face", "hf_", 34, 34},
	{"OpenAI", "sk-proj-", 40, 200}, {"Anthropic", "sk-ant-", 80, 128},
}
