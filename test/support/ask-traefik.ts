import { parse } from 'yaml';

interface Middleware {
  redirectRegex?: { regex: string; replacement: string; permanent: boolean };
}

/**
 * Answers as Traefik does by the middlewares of an export: by the first whose expression matches the whole url. RE2 has
 * `\x{3D}` where JavaScript has `\u{3D}`.
 */
export function askTraefik(
  text: string,
  path: string,
  host = 'shop.example',
): { status: number; location: string | undefined } {
  const { http } = parse(text) as { http: { middlewares: Record<string, Middleware> } };
  for (const { redirectRegex } of Object.values(http.middlewares)) {
    if (!redirectRegex) continue;
    const { regex, replacement, permanent } = redirectRegex;
    const expression = regex.replaceAll('(?i:', '(?:').replace(/\\x\{(\w+)\}/g, '\\u{$1}');
    const matched = new RegExp(expression, regex.includes('(?i:') ? 'iu' : 'u').exec(`http://${host}${path}`);
    if (!matched) continue;
    const location = replacement.replace(/\$\$|\$\{(\d)\}/g, (all, part: string) =>
      all === '$$' ? '$' : (matched[Number(part)] ?? ''),
    );
    return { status: permanent ? 301 : 302, location };
  }
  return { status: 404, location: undefined };
}
