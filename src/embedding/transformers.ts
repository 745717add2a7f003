/** transformers.js without fetching: only hub-download.ts fetches files, and missing ones are an error. */
import { AutoTokenizer, env, LogLevel } from '@huggingface/transformers';

env.allowRemoteModels = false;
env.useFSCache = false;
env.logLevel = LogLevel.NONE;

export { AutoTokenizer };
