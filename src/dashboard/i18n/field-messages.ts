import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type FieldMessage, fillGaps, formatFieldMessage } from '../../http/field-message.ts'
import type { Language } from './translator.ts'

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
