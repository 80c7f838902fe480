/** Serves the built web page from a folder: plain files, no listing, nothing outside of it. */
import { readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

const PAGE_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const NOT_BUILT =
  '<!doctype html><title>Drover</title><p>The web page is not built: run <code>npm run build -w packages/dashboard</code>. The API is at <a href="/openapi.json">/openapi.json</a>.'

/** The page itself holds nothing; what it shows it asks for, with a key where there are keys. */
const OPEN = { config: { scope: null } }

export function registerDashboard(server: FastifyInstance, dir: string | null): void {
  server.get('/', OPEN, async (_request, reply) => {
    const index = dir === null ? null : await readWithin(dir, 'index.html')
    return sendPage(reply, '.html', index ?? NOT_BUILT)
  })
  server.get<{ Params: { '*': string } }>('/*', OPEN, async (request, reply) => {
    const path = request.params['*']
    const extension = extname(path)
    // Only files of known kinds can be there; everything else is a mistyped API path and gets its problem document.
    const file = dir === null || !Object.hasOwn(CONTENT_TYPES, extension) ? null : await readWithin(dir, path)
    if (file === null) return reply.callNotFound()
    return sendPage(reply, extension, file, path.startsWith('assets/'))
  })
}

/** Null where there is no such file inside the folder, whatever dots and links the path goes through. */
async function readWithin(dir: string, path: string): Promise<Buffer | null> {
  if (path.includes('\0')) return null
  try {
    const [root, file] = await Promise.all([realpath(dir), realpath(join(dir, path))])
    return file.startsWith(root + sep) ? await readFile(file) : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG'
}

/** Files under `assets/` carry a digest in their name and never change; the page that names them must be asked for anew. */
function sendPage(reply: FastifyReply, extension: string, body: Buffer | string, isHashed = false): FastifyReply {
  return reply
    .header('content-security-policy', PAGE_POLICY)
    .header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    .type(CONTENT_TYPES[extension] ?? 'application/octet-stream')
    .send(body)
}
