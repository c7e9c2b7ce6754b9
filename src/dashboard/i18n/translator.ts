import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The languages of the dashboard; the first is spoken where a browser asks for neither. */
export const LANGUAGES = ['pt-BR', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

/** A phrase of the dictionary by its name, with its `{gaps}` filled. A name that is not there is a bug. */
export type Translator = {
  (name: string, gaps?: Record<string, string | number>): string
  has(name: string): boolean
}

export const TRANSLATORS: Record<Language, Translator> = {
  'pt-BR': createTranslator('pt-BR'),
  en: createTranslator('en'),
}

/** What a browser asks for by cookie or by `Accept-Language`. */
export function negotiateLanguage(cookie: string | undefined, accepted: string): Language {
  const known = LANGUAGES.find(language => language === cookie)
  if (known) return known
  const first = accepted.split(',')[0]?.trim().toLowerCase() ?? ''
  return first.startsWith('en') ? 'en' : 'pt-BR'
}

/** The phrases of a language by their names, as its file has them. */
export function readDictionary(language: Language): Record<string, string> {
  const file = join(import.meta.dirname, `${language.toLowerCase()}.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

function createTranslator(language: Language): Translator {
  const phrases = readDictionary(language)
  const say = (name: string, gaps: Record<string, string | number> = {}) => {
    const phrase = Object.hasOwn(phrases, name) ? phrases[name] : undefined
    if (phrase === undefined) throw new Error(`the ${language} dictionary lacks "${name}"`)
    return phrase.replaceAll(/\{(\w+)\}/g, (_, gap: string) => String(gaps[gap] ?? ''))
  }
  return Object.assign(say, { has: (name: string) => Object.hasOwn(phrases, name) })
}
