-- Snippets are found by their titles, descriptions and the names of their files.
on sqlite create virtual table search_snippets using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_snippets_gone after delete on snippets begin delete from search_snippets where rowid = old.id; end;
on postgres create table search_snippets (rowid bigint primary key references snippets (id) on delete cascade, terms tsvector not null);
on postgres create index search_snippets_by_terms on search_snippets using gin (terms);
