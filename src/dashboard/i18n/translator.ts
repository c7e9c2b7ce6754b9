import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type FieldMessage, fillGaps, formatFieldMessage } from '../../http/field-message.ts'

/** Languages of the dashboard; the first is the default. */
export const LANGUAGES = ['pt-BR', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

/** Returns a dictionary phrase by its name, with its `{gaps}` filled. An unknown name throws. */
export type Translator = {
  (name: string, gaps?: Record<string, string | number>): string
  has(name: string): boolean
}

export const TRANSLATORS: Record<Language, Translator> = {
  'pt-BR': createTranslator('pt-BR'),
  en: createTranslator('en'),
}

/** Chooses the language from the cookie or from `Accept-Language`. */
export function negotiateLanguage(cookie: string | undefined, accepted: string): Language {
  const cookieLanguage = LANGUAGES.find(language => language === cookie)
  if (cookieLanguage) return cookieLanguage
  const first = accepted.split(',')[0]?.trim().toLowerCase() ?? ''
  return first.startsWith('en') ? 'en' : 'pt-BR'
}

/** Reads the phrases of a language by their names. */
export function readDictionary(language: Language): Record<string, string> {
  const file = join(import.meta.dirname, `${language.toLowerCase()}.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

function createTranslator(language: Language): Translator {
  const phrases = readDictionary(language)
  const translate = (name: string, gaps: Record<string, string | number> = {}) => {
    const phrase = Object.hasOwn(phrases, name) ? phrases[name] : undefined
    if (phrase === undefined) throw new Error(`the ${language} dictionary lacks "${name}"`)
    return fillGaps(phrase, isolateTexts(gaps))
  }
  return Object.assign(translate, { has: (name: string) => Object.hasOwn(phrases, name) })
}

const DIRECTION_CONTROL = /\p{Bidi_Control}/gu
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const ISOLATED = ['\u2068', '\u2069'] as const

/**
 * Keeps the texts of others from changing the order in which the rest of a phrase is read, as of an amount and a name: characters
 * that control the direction are left out, and a text in a script from right to left is isolated.
 */
function isolateTexts(gaps: Record<string, string | number>): Record<string, string | number> {
  const isolate = (value: string | number) => {
    if (typeof value === 'number') return value
    const text = value.replaceAll(DIRECTION_CONTROL, '')
    return RIGHT_TO_LEFT.test(text) ? ISOLATED.join(text) : text
  }
  return Object.fromEntries(Object.entries(gaps).map(([name, value]) => [name, isolate(value)]))
}

/** The API's own messages in Portuguese, by their English texts. */
const PORTUGUESE_TEXTS = new Map<string, string>(
  Object.entries(JSON.parse(readFileSync(join(import.meta.dirname, 'field-messages.pt-br.json'), 'utf8'))),
)
const { localeError: ZOD_IN_PORTUGUESE } = z.locales.ptBR()

/** Translates a field error of the API to the page's language. English is the API's own language. */
export function translateFieldMessage(language: Language, message: FieldMessage): string {
  if (language === 'en') return formatFieldMessage(message)
  const { text, gaps, describe } = typeof message === 'string' ? { text: message } : message
  const phrase = PORTUGUESE_TEXTS.get(text) ?? describe?.(ZOD_IN_PORTUGUESE) ?? text
  return fillGaps(phrase, gaps)
}
