import { InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../../base/errors.js';
import { parseColumnNames } from '../../rule-formats/read/file-columns.js';

/** Makes the option of commands that read files of redirects. */
export function columnsOption(): Option {
  const about = 'what columns mean that are not known: deleted=disabled,remark=ignore';
  return new Option('--columns <columns>', about).argParser((text) => {
    try {
      return parseColumnNames(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  });
}
