/* Shows the OpenAPI document by Redoc, in the colours that the reader's system prefers. */
const font = { fontFamily: 'system-ui, sans-serif' }
const light = { colors: { primary: { main: '#00695c' } }, typography: { ...font, headings: font } }
const paper = { backgroundColor: '#181f27', textColor: '#dfe5ec' }
const dark = {
  colors: {
    primary: { main: '#4fd1b8' },
    success: { main: '#7fd6a0' },
    warning: { main: '#efc06a' },
    error: { main: '#f3a199' },
    gray: { 50: '#181f27', 100: '#242e38' },
    text: { primary: '#dfe5ec', secondary: '#9aa7b5' },
    border: { dark: '#2a343f', light: '#2a343f' },
    responses: { info: { color: '#9cc4f2' } },
  },
  schema: { nestedBackground: '#181f27', linesColor: '#3a4653' },
  typography: { ...light.typography, code: { color: '#f3a199', backgroundColor: '#242e38' } },
  sidebar: paper,
  rightPanel: {
    backgroundColor: '#0b0f14',
    servers: { overlay: paper, url: { backgroundColor: '#11161c' } },
  },
}

Redoc.init(
  '/openapi.json',
  {
    theme: matchMedia('(prefers-color-scheme: dark)').matches ? dark : light,
    requiredPropsFirst: true,
    pathInMiddlePanel: true,
    hideDownloadButton: true,
    scrollYOffset: '.reference > nav',
  },
  document.querySelector('#reference'),
)
