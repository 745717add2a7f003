import { createServer, type RequestListener } from 'node:http';
import { listen, type Listening } from './listen.js';

/** Servers that are slow or wrong, in pathmend's place. Tests of a server that is down need none of these. */
export const BROKEN: Record<string, RequestListener> = {
  'never answers': () => undefined,
  'begins an answer and never ends it': (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"suggestions": [');
  },
  'sends bytes without an end': (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const more = (): void => {
      while (response.writable && response.write('[[[[[[[['.repeat(1024)));
    };
    response.on('drain', more);
    more();
  },
  'answers 500': json(500, '{"error": {"code": "internal_error", "message": "Something went wrong on our side."}}'),
  'answers with a page of its proxy': (_request, response) => {
    response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>');
  },
  'answers with something that is not JSON': json(200, '<h1>Welcome</h1>'),
  'answers with JSON that says nothing': json(200, '{"ok": true}'),
  'answers null': json(200, 'null'),
  'answers with suggestions of other types': json(
    200,
    '{"suggestions": [null, 7, {"url": 7, "title": "a", "score": 1}, {"url": "/a", "title": {}, "score": 1}, {"url": "/a", "title": "a", "score": "1"}], "search_id": "s"}',
  ),
  'redirects elsewhere': (_request, response) => {
    response.writeHead(307, { Location: 'http://127.0.0.1:9/' }).end();
  },
  'ends the connection': (request) => {
    request.socket.destroy();
  },
};

function json(status: number, body: string): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  };
}

/** A real server on a free port, in pathmend's place. */
export function startInPlace(answer: RequestListener): Promise<Listening> {
  return listen(createServer(answer));
}
