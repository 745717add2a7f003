/** 12,345; with so many decimals at most */
export function amount(value: number, decimals = 0): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals });
}

/** `1 person`, `12,345 people` */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${amount(value)} ${value === 1 ? one : many}`;
}

/** `was` for one, else `were`. */
export function wasOrWere(value: number): string {
  return value === 1 ? 'was' : 'were';
}
