package main

const (
	meansTowardsSafe meaning = iota
	meansExported
	meansInputOpened
	meansNewRequired
	meansNewOptional
	meansNowRequired
	meansInputChanged
	meansReferenceChanged
	meansDefinitionAdded
	meansTypeWidened
	meansEnumAdded
	meansEnumSwapped
	meansLoosened
	meansNoLongerRequired
	meansConstRemoved
	meansConstChanged
	meansFormatRemoved
	meansFormatChanged
	meansPatternChanged
	meansTypeChanged
	meansConstraintChanged
	meansDefaultChanged
	meansWording
	meansOutputWording
	meansExamples
	meansComment
	meansChanged
	meansClientMetadata
	meansOutput
	meansUnusedDefinition
	meansTowardsCaution
	meansHintLeftOut
	meansNotExported
	meansInputClosed
	meansParameterRemoved
	meansTypeNarrowed
	meansEnumRemoved
	meansTightened
	meansConstAdded
	meansFormatAdded
	meansDefinitionRemoved
	meansHintStated
	meansRequiredFollows
	meansOtherOrder
	meansOtherForm
	meansChurn
)

// labelTable has the text of each meaning, and on what it bears (see applied).
var labelTable = [...]struct {
	text   string
	effect labelEffect
}{
	meansTowardsSafe:       {"hint towards safe (less confirmation in clients)", effectNone},
	meansExported:          {"argument exported as a header", effectNone},
	meansInputOpened:       {"input opened", effectLooser},
	meansNewRequired:       {"new parameter, required", effectShape},
	meansNewOptional:       {"new parameter, optional", effectShape},
	meansNowRequired:       {"parameter now required", effectShape},
	meansInputChanged:      {"input schema changed", effectNone},
	meansReferenceChanged:  {"reference changed", effectShape},
	meansDefinitionAdded:   {"definition added", effectShape},
	meansTypeWidened:       {"type widened", effectLooser},
	meansEnumAdded:         {"enum value added", effectLooser},
	meansEnumSwapped:       {"enum values added and removed", effectShape},
	meansLoosened:          {"constraint loosened", effectLooser},
	meansNoLongerRequired:  {"parameter no longer required", effectShape},
	meansConstRemoved:      {"const removed", effectLooser},
	meansConstChanged:      {"const changed", effectShape},
	meansFormatRemoved:     {"format removed", effectLooser},
	meansFormatChanged:     {"format changed", effectShape},
	meansPatternChanged:    {"pattern changed", effectShape},
	meansTypeChanged:       {"type changed", effectShape},
	meansConstraintChanged: {"constraint changed", effectShape},
	meansDefaultChanged:    {"default changed", effectShape},
	meansWording:           {"wording", effectNone},
	meansOutputWording:     {"output schema wording", effectNone},
	meansExamples:          {"examples", effectNone},
	meansComment:           {"comment", effectNone},
	meansChanged:           {"changed", effectNone},
	meansClientMetadata:    {"client metadata", effectNone},
	meansOutput:            {"output schema", effectNone},
	meansUnusedDefinition:  {"unused definition", effectNone},
	meansTowardsCaution:    {"hint towards caution", effectNone},
	meansHintLeftOut:       {"hint left out, same as its default", effectNone},
	meansNotExported:       {"argument no longer exported as a header", effectNone},
	meansInputClosed:       {"input closed", effectTighter},
	meansParameterRemoved:  {"parameter removed", effectShape},
	meansTypeNarrowed:      {"type narrowed", effectTighter},
	meansEnumRemoved:       {"enum value removed", effectTighter},
	meansTightened:         {"constraint tightened", effectTighter},
	meansConstAdded:        {"const added", effectTighter},
	meansFormatAdded:       {"format added", effectTighter},
	meansDefinitionRemoved: {"definition removed", effectShape},
	meansHintStated:        {"hint stated, same as its default", effectNone},
	meansRequiredFollows:   {"required list follows the parameters", effectShape},
	meansOtherOrder:        {"same values, other order", effectNone},
	meansOtherForm:         {"same meaning, other form", effectNone},
	meansChurn:             {"SDK churn", effectNone},
}

type labelEffect int

const (
	effectNone    labelEffect = iota // says the same wherever its schema stands
	effectLooser                     // its schema takes more values
	effectTighter                    // its schema takes fewer values
	effectShape                      // neither, or not to be told
)

// applied is what m comes to for the input, given the uses of its schema. Of
// several uses the dangerous one counts.
func (m meaning) applied(u schemaUse) meaning {
	switch e := labelTable[m].effect; {
	case e == effectNone:
		return m
	case u == 0:
		return meansUnusedDefinition
	case u == usePlain, u&usePlain != 0 && e != effectTighter:
		return m
	case u == useNegated && e == effectLooser:
		return meansTightened
	case u == useNegated && e == effectTighter:
		return meansLoosened
	}
	return meansConstraintChanged
}
