/** Renders a text as a PDF (ISO 32000-1), the only form that Woovi accepts; `?` for characters outside Windows-1252. */
export function renderTextPdf(text: string): Buffer {
  const lines = text.split(/\r?\n/).flatMap(wrapLine)
  const pages: string[][] = []
  for (let start = 0; start === 0 || start < lines.length; start += LINES_PER_PAGE)
    pages.push(lines.slice(start, start + LINES_PER_PAGE))

  const kids = pages.map((_, index) => `${FIRST_PAGE_OBJECT + 2 * index} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((page, index) => buildPageObjects(page, FIRST_PAGE_OBJECT + 2 * index)),
  ]
  return serializePdf(objects)
}

const LINES_PER_PAGE = 50
const CHARACTERS_PER_LINE = 90
/** Number of the first page's object, after catalogue, list of pages and font. */
const FIRST_PAGE_OBJECT = 4

function buildPageObjects(lines: string[], number: number): string[] {
  const text = lines.map(line => `(${escapeLine(line)}) '`).join('\n')
  const stream = `BT /F1 10 Tf 14 TL 50 800 Td\n${text}\nET`
  return [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${number + 1} 0 R >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ]
}

/** Wraps a line, at blanks if possible; in the result one code unit is one byte. */
function wrapLine(line: string): string[] {
  const lines: string[] = []
  let rest = line.normalize('NFC').replace(/[^\x20-\x7e\xa0-\xff]/gu, '?')
  while (rest.length > CHARACTERS_PER_LINE) {
    const blank = rest.lastIndexOf(' ', CHARACTERS_PER_LINE)
    const end = blank > 0 ? blank : CHARACTERS_PER_LINE
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}

function escapeLine(line: string): string {
  return line.replace(/[\\()]/g, character => `\\${character}`)
}

/** Serializes the objects with the header and the table of their byte offsets. */
function serializePdf(objects: string[]): Buffer {
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}
