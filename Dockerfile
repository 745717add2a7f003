# The whole service in one image: `serve` (default), or any other command of the CLI.
# Debian rather than Alpine: onnxruntime-node is built against glibc.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY left-out left-out
COPY scripts/slim.sh scripts/
# By themselves, so that a change of the source fetches none of them anew.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && sh scripts/slim.sh node_modules "linux/$(node -p process.arch)" \
  && mkdir /packages && mv node_modules /packages/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/build.js scripts/
COPY src src
# `--version` names it.
ARG PATHMEND_COMMIT=
RUN npm run build
# (PostgreSQL has files of that name too, in the data folder that a first start on the embedded database lays out.)
RUN find dist -type f -not -path 'dist/empty-database/*' \( -name '*.map' -o -name .tsbuildinfo \) -delete
WORKDIR /files
COPY package.json LICENSE ./
COPY db db
COPY models models
COPY examples examples
COPY left-out left-out
# Files come with the modes that they have in the checkout, and under a strict umask only their owner may read them.
RUN chmod -R u=rwX,go=rX /files /packages /app/dist

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 WORKER_PORT=8080 DATA_DIR=/data
# glibc gives what is freed back to the system, instead of keeping more the more it once gave (docs/operate/performance.md, Memory).
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_ARENA_MAX=2
WORKDIR /app
# Of the image's user `node`, and his alone. All else belongs to root: the process cannot change its own code.
RUN install -d -o 1000 -g 1000 -m 700 /data
COPY --from=build /packages ./
COPY --from=build /files ./
COPY --from=build /app/dist dist
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`) \
    .then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and gets SIGTERM itself: it finishes what is in flight and ends within ten seconds.
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["serve"]
