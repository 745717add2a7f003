/** The limits that the API promises: values, not settings, since clients and documents rely on them. */
export const LIMITS = {
  bodyBytes: 2_097_152,
  pathCharacters: 2_048,
  queryCharacters: 2_000,
  results: 100,
  excludeUrls: 100,
  filters: 20,
  urlCharacters: 2_048,
  titleCharacters: 1_000,
  contentCharacters: 1_000_000,
  metadataBytes: 65_536,
  metadataDepth: 32,
  /** All documents of an answer of `retrieve`, as JSON. Eight of the longest pages fit. */
  retrieveBytes: 8_388_608,
} as const;
