CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO ItemTable VALUES ('composer.composerData', '{"allComposers": [{"composerId": "5b0c8a34-52a1-4f0e-9d3c-1f4f6f0f7d52"}], "selectedComposerIds": ["5b0c8a34-52a1-4f0e-9d3c-1f4f6f0f7d51"]}');
