-- Pages of wikis as what people did to them names them, and the slugs they had before.
create table wiki_pages (
    id identity,
    repository_id bigint not null references repositories (id) on delete cascade,
    slug text not null,                 -- the path of the file without its ending
    format text not null,               -- markdown, rdoc, asciidoc, org
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index wiki_pages_slug on wiki_pages (repository_id, slug);

create table wiki_page_slugs (
    id identity,
    repository_id bigint not null references repositories (id) on delete cascade,
    slug text not null,
    page_id bigint not null references wiki_pages (id) on delete cascade
);
create unique index wiki_page_slugs_once on wiki_page_slugs (repository_id, slug);
create index wiki_page_slugs_by_page on wiki_page_slugs (page_id);
