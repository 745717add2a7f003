/**
 * Prefixes that well-known model families expect before a text, for models without a manifest of ours. Without its
 * prefix such a model still works, but worse. Source: the model cards.
 */
const CONVENTIONS: readonly { name: RegExp; query: string; passage: string }[] = [
  // https://huggingface.co/intfloat/e5-base-v2; the instruct variants want another form and are not covered.
  { name: /(^|[/_-])(multilingual-)?e5-(?!.*instruct)/i, query: 'query: ', passage: 'passage: ' },
  // https://huggingface.co/BAAI/bge-small-en-v1.5
  { name: /(^|[/_-])bge-\w+-en\b/i, query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  // https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1 and Snowflake/snowflake-arctic-embed-m
  {
    name: /mxbai-embed|arctic-embed-(xs|s|m|l)\b(?!-v2)/i,
    query: 'Represent this sentence for searching relevant passages: ',
    passage: '',
  },
  // https://huggingface.co/nomic-ai/nomic-embed-text-v1.5
  { name: /nomic-embed-text/i, query: 'search_query: ', passage: 'search_document: ' },
];

/** The prefixes of a model with this name; empty when none are known. */
export function knownPrefixes(name: string): { query: string; passage: string } {
  const convention = CONVENTIONS.find((each) => each.name.test(name));
  return { query: convention?.query ?? '', passage: convention?.passage ?? '' };
}
