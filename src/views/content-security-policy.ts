/** Builds the Content-Security-Policy of a page: only resources of our own, no script, no inline style, no frames. */
export function buildContentSecurityPolicy(sources: Record<string, string> = {}): string {
  const directives = {
    'default-src': "'none'",
    'style-src': "'self'",
    // The base style sheet embeds its arrows and ticks as data URLs.
    'img-src': "'self' data:",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
    ...sources,
  }
  return Object.entries(directives)
    .map(([directive, source]) => `${directive} ${source}`)
    .join('; ')
}
