/** Markup that is already escaped. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type HtmlValue = Markup | string | number | null | undefined | false | HtmlValue[]

/** Builds markup from a template; escapes every value that is not markup already. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Markup {
  return new Markup(
    strings.reduce((text, string, index) => text + renderHtmlValue(values[index - 1]) + string),
  )
}

function renderHtmlValue(value: HtmlValue): string {
  if (value instanceof Markup) return value.text
  if (Array.isArray(value)) return value.map(renderHtmlValue).join('')
  if (value === null || value === undefined || value === false) return ''
  return String(value).replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
