import { SyntaxKind } from 'typescript/unstable/ast'
import { createScanner } from 'typescript/unstable/ast/scanner'

export type TextKind = 'identifier' | 'comment' | 'string'

/** A piece of TypeScript source that a person reads: one identifier, or one line of a comment or string. */
export type SourceText = { kind: TextKind; line: number; text: string }

const KINDS = new Map<SyntaxKind, TextKind>([
  [SyntaxKind.Identifier, 'identifier'],
  [SyntaxKind.PrivateIdentifier, 'identifier'],
  [SyntaxKind.SingleLineCommentTrivia, 'comment'],
  [SyntaxKind.MultiLineCommentTrivia, 'comment'],
  [SyntaxKind.StringLiteral, 'string'],
  [SyntaxKind.NoSubstitutionTemplateLiteral, 'string'],
  [SyntaxKind.TemplateHead, 'string'],
  [SyntaxKind.TemplateMiddle, 'string'],
  [SyntaxKind.TemplateTail, 'string'],
])
const TRIVIA = [
  SyntaxKind.WhitespaceTrivia,
  SyntaxKind.NewLineTrivia,
  SyntaxKind.SingleLineCommentTrivia,
  SyntaxKind.MultiLineCommentTrivia,
]
/** Tokens after which a slash divides; after any other one it starts a regular expression. */
const VALUE_END = /^([)\]}]|this|super|true|false|null)$/
const VALUE_KINDS = [
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
]

/** Reads the identifiers, comments and string literals of a TypeScript source, line by line. */
export function readSourceTexts(source: string): SourceText[] {
  const scanner = createScanner(false, undefined, source)
  const found: SourceText[] = []
  /** Open braces inside each `${…}` of the templates around the current token. */
  const templates: number[] = []
  let isAfterValue = false
  let line = 1
  let counted = 0
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken
    if (isSlash && !isAfterValue) kind = scanner.reScanSlashToken()
    kind = trackTemplate(kind)
    const start = scanner.getTokenStart()
    const text = source.slice(start, scanner.getTokenEnd())
    for (; counted < start; counted += 1) if (source[counted] === '\n') line += 1
    const textKind = KINDS.get(kind)
    if (textKind)
      found.push(
        ...text.split('\n').map((part, index) => ({ kind: textKind, line: line + index, text: part })),
      )
    if (!TRIVIA.includes(kind)) isAfterValue = VALUE_KINDS.includes(kind) || VALUE_END.test(text)
  }
  return found

  function trackTemplate(kind: SyntaxKind): SyntaxKind {
    if (kind === SyntaxKind.TemplateHead) templates.push(0)
    if (templates.length === 0) return kind
    if (kind === SyntaxKind.OpenBraceToken) templates[templates.length - 1]! += 1
    if (kind !== SyntaxKind.CloseBraceToken) return kind
    if (templates.at(-1)! > 0) {
      templates[templates.length - 1]! -= 1
      return kind
    }
    const part = scanner.reScanTemplateToken(false)
    if (part === SyntaxKind.TemplateTail) templates.pop()
    return part
  }
}
